/**
 * Type declarations of `k6/x/wsgov`: a WebSocket load test whose every number reconciles.
 *
 * An option that is not declared here is refused by name, with the nearest one that is. Options whose value is undefined or
 * null count as not given.
 */
declare module 'k6/x/wsgov' {
  /** As in k6: '10s', '500ms', '1m30s', '1d', or a number of milliseconds. */
  export type Duration = string | number;

  export interface ClientOptions {
    /** How many connections the client holds. Default 1; one VU can hold thousands. */
    connections?: number;
    /** Opens the connections in steps. Default: all at once. */
    connect?: ConnectOptions;
    /** Headers of the upgrade request. Subprotocols have an option of their own. */
    headers?: Record<string, string>;
    /** Offered to the server, which must choose one of them: a handshake without is booked as failed. */
    subprotocols?: string[];
    /** permessage-deflate, without context takeover. */
    compression?: 'deflate';
    /** Source addresses to take in turn, for more connections than one address has ports. */
    localAddresses?: string[];
    tls?: TlsOptions;
    /** The largest frame that is accepted, in bytes. Default 1 MiB. A larger one closes the connection, with a warning. */
    maxFrameBytes?: number;
    /** Opens a connection again after it ended. Default: it stays closed, and what was due on it is unsent. */
    reconnect?: false | ReconnectOptions;
    /** How replies are recognised, paired and judged. */
    reply?: ReplyRule;
    /** Sent in this order on every connection as soon as it is open, and again after a reconnect. */
    hello?: HelloMessage[];
    /** Answers to the server's own pings and calls, sent at once and without JavaScript. The first that matches is sent. */
    autoReply?: AutoReply[];
    /** The server's pings are always answered. This sends our own. */
    heartbeat?: HeartbeatOptions;
  }

  export interface ConnectOptions {
    /** Connections that are opened together. */
    batch?: number;
    /** Time from one batch to the next. */
    every?: Duration;
    /** How long one connection may take to open, its hello included. Default '15s'. */
    timeout?: Duration;
  }

  /** Certificates and keys are PEM text, such as `open('ca.pem')`. */
  export interface TlsOptions {
    insecureSkipVerify?: boolean;
    /** Authorities to trust in place of the system's. */
    ca?: string;
    /** Our own certificate, together with its key. */
    cert?: string;
    key?: string;
    /** The name that the server's certificate must carry, if it is not the address's host. */
    serverName?: string;
  }

  export interface ReconnectOptions {
    /** Attempts in a row before a connection is given up. Default 5. */
    attempts?: number;
    /** Wait before each attempt. Default '1s'. */
    delay?: Duration;
  }

  export interface HelloMessage {
    /** Text, or an object that is sent as JSON. */
    message: string | object;
    /** The next hello message and the plan wait for a frame that matches. */
    await?: Condition;
  }

  export interface AutoReply {
    when: Condition;
    message: string | object;
  }

  export interface HeartbeatOptions {
    every: Duration;
    /** Sent as text in place of a WebSocket ping. */
    message?: string;
    /** A connection on which nothing at all arrived for this long is closed. Default: never. */
    deadAfter?: Duration;
  }

  /**
   * Paths are keys and array positions joined by dots (`payload.errors.0.code`); a dot inside a key is written `\\.`. A
   * top-level array is stepped into, each element being a part of its own. Ids are compared by their exact value: 1, "1" and
   * 1.0 are one id, "06" and 6 are two. A gateway that changes the type of ids is told in a warning.
   */
  export interface ReplyRule {
    /**
     * Fills in the fields below, of which those that are given win.
     *
     * - `plain` (default): `id: 'id', ok: 'ok', code: 'code'`;
     * - `echo`: any reply with our id is ok;
     * - `jsonrpc`: JSON-RPC 2.0: not ok if `error` is present, `code: 'error.code'`; what has a `method` is a push;
     * - `socketio`: Socket.IO 4: acks are paired by their number, which the message asks for as in `42{{id}}["event", …]`;
     *   paths begin at the ack's array: ok if `0.status` is 'ok', `code: '0.code'`.
     */
    preset?: 'plain' | 'echo' | 'jsonrpc' | 'socketio';
    /** Separates the records of one frame, such as '\u001e'. */
    separator?: string;
    /** Path of an array of replies in a frame. */
    parts?: string;
    /** Only parts that match are replies; all others are pushes. */
    when?: Condition;
    /** Path of the id, in replies and in our own messages. Default 'id'. */
    id?: string;
    /** Path that is truthy in a reply that is ok (default 'ok'), or a condition, or true: every reply with our id is ok. */
    ok?: true | string | Condition;
    /** Path whose presence, other than null, means not ok. */
    error?: string;
    /** Path of the error code. Default 'code'. 503 and "503" are one code. */
    code?: string;
    /** How long after its send a reply may arrive. Default '5s'. */
    timeout?: Duration;
    /**
     * For protocols that rules cannot express: reads each frame on the VU's event loop, in place of all fields above but `id`
     * and `timeout`. `conn` is the same object for all frames of a connection, so that state can be kept on it; a connection
     * opened anew has a new one. Null: nothing in this frame yet. A frame for which it throws is booked as malformed.
     */
    classify?: (frame: string | ArrayBuffer, conn: { id: number; [state: string]: any }) => Part | Part[] | null;
  }

  export interface Part {
    /** The message that is answered. */
    id?: string | number;
    /** Default: true, unless there is a code. */
    ok?: boolean;
    code?: string | number;
    /** Not a reply at all. */
    push?: boolean;
  }

  /**
   * With `path`: all that is given of `equals`, `in` and `exists` must hold; with none of them the path must be present. Without:
   * `text` is the whole frame, or `startsWith` its beginning, for protocols that are not JSON.
   */
  export interface Condition {
    path?: string;
    equals?: string | number | boolean;
    in?: (string | number)[];
    exists?: boolean;
    text?: string;
    startsWith?: string;
  }

  /** What is to be sent, and when. */
  export interface Plan {
    /** Value of the tag `plan` on every sample. Default 'main'. */
    name?: string;
    /**
     * - `open` (default): sends at the intended times, whatever the gateway does; needs `rate` or `stages`;
     * - `closed`: sends after the reply to the message before, at most at `rate`;
     * - `burst`: sends `count` messages per connection as fast as the socket takes them.
     */
    model?: 'open' | 'closed' | 'burst';
    /** Messages per second and connection. With stages: the rate to start from. */
    rate?: number;
    /** A rate that changes linearly from stage to stage, in place of a duration. */
    stages?: Stage[];
    /** How the open model's messages are spread. Default 'uniform'. */
    arrivals?: 'uniform' | 'poisson';
    /** Seed of the arrivals. Default: derived from the run's seed, the VU and the plan's name. It is always recorded. */
    seed?: number;
    duration?: Duration;
    /** Messages per connection, in place of a duration or as a limit beside it. */
    count?: number;
    /** Unanswered messages allowed per connection. Default 32; 0 means no cap. */
    maxInFlight?: number;
    /** At the cap: wait (default), which the response time then includes, or drop: the message is unsent. */
    whenFull?: 'wait' | 'drop';
    /** After the window, how long what waits is still sent and replies are awaited. Default: the reply timeout. */
    drain?: Duration;
    /**
     * Text or an object in which '{{id}}', '{{conn}}' and '{{seq}}' are filled in; a string value of an object that is nothing
     * else becomes a number. Or a function, which is called ahead of time and cannot be async. What it returns must hold
     * the message's id where `reply.id` says, or be an object of exactly the keys `id` and `payload`, the payload being text
     * or bytes, of which the payload is sent.
     */
    message: string | object | ((m: { id: number; conn: number; seq: number }) => string | object | ArrayBuffer | ArrayBufferView | Identified);
    /** Sends text as binary frames. Bytes are always sent so. */
    binary?: boolean;
    /** 'lean' leaves out the samples that follow from others. Default 'full'. */
    detail?: 'full' | 'lean';
    /** Tags on every sample of the plan. */
    tags?: Record<string, string>;
  }

  export interface Stage {
    duration: Duration;
    target: number;
  }

  export interface Identified {
    id: string | number;
    payload: string | ArrayBuffer | ArrayBufferView;
  }

  /** Milliseconds. A quantile among messages without an answer is Infinity; min, max and mean are of the answered ones. */
  export interface Quantiles {
    min: number;
    p50: number;
    p90: number;
    p95: number;
    p99: number;
    p999: number;
    max: number;
    mean: number;
    count: number;
  }

  /** The account of one plan: every planned message in exactly one outcome. */
  export interface Ledger {
    plan: string;
    planned: number;
    sent: number;
    unsent: number;
    ok: number;
    error: number;
    lost: number;
    /** By code. */
    errors: Record<string, number>;
    /** timeout, cutoff (nobody waited until the deadline), or closed:<close code>. */
    lostReasons: Record<string, number>;
    /** cap, backpressure, closed, script or cutoff. */
    unsentReasons: Record<string, number>;
    frames: FrameCounts;
    handshakes: HandshakeCounts;
    /** ok ÷ planned. */
    deliveryRatio: number;
    /** ok per second. */
    goodput: number;
    /** From the intended time to the reply. */
    responseTime: Quantiles;
    /** From the send to the reply. */
    serviceTime: Quantiles;
    /** From the intended time to the send. */
    sendLag: Quantiles;
    maxInFlight: number;
    naive: Naive;
    /** Doubts about this measurement; empty if there are none. */
    warnings: Warning[];
  }

  /** Received are WebSocket frames, parts the replies and events found in them, the others what became of those. */
  export interface FrameCounts {
    received: number;
    parts: number;
    late: number;
    duplicate: number;
    unmatched: number;
    malformed: number;
    push: number;
  }

  export interface HandshakeCounts {
    attempted: number;
    opened: number;
    failed: number;
    causes: Record<string, number>;
  }

  /** What a script that only counts frames would have reported. */
  export interface Naive {
    successRatio: number;
    framesPerSecond: number;
    p99: number;
  }

  export interface Warning {
    code: string;
    text: string;
  }

  export interface RequestOptions {
    /** Default: the reply timeout. */
    timeout?: Duration;
    /** Value of the tag `plan`. Default 'request'. */
    name?: string;
    tags?: Record<string, string>;
  }

  /** `body` is parsed JSON, or text, or bytes. Without a reply: `code` says why, no body, and the time is Infinity. */
  export interface RequestResult {
    ok: boolean;
    code?: string;
    body: any;
    responseTime: number;
  }

  /** `timestamp` is when it happened, in milliseconds since the Unix epoch; `conn` counts from 1. */
  export interface PushEvent {
    conn: number;
    timestamp: number;
    data: string | ArrayBuffer;
  }

  export interface CloseEvent {
    conn: number;
    timestamp: number;
    code: number;
    reason: string;
    by: 'client' | 'server' | 'network';
  }

  export interface ErrorEvent {
    conn: number;
    timestamp: number;
    error: string;
  }

  /**
   * Connections to one address. It may be made in init code and used in any iteration; its connections stay open from one
   * iteration to the next, until close() or the end of the VU.
   */
  export class Client {
    constructor(url: string, options?: ClientOptions);
    /** Opens the connections, once. `drive` and `request` do it when needed. */
    connect(): Promise<{ opened: number; failed: number }>;
    /** Runs a plan on every connection and resolves when each of its messages has an outcome. */
    drive(plan: Plan): Promise<Ledger>;
    /** Sends one message and resolves with its reply, or with `ok: false` if there is none. It is booked like a plan. */
    request(message: string | object | ArrayBuffer | ArrayBufferView | Identified, options?: RequestOptions): Promise<RequestResult>;
    /** Sends a message of no plan on the next open connection in turn. */
    send(message: string | object | ArrayBuffer | ArrayBufferView): void;
    /** Frames that are no replies to planned messages. */
    on(event: 'push', handler: (event: PushEvent) => void): void;
    on(event: 'close', handler: (event: CloseEvent) => void): void;
    /** A connection could not be opened. */
    on(event: 'error', handler: (event: ErrorEvent) => void): void;
    /** Code 1000 (default) or 3000 to 4999, reason of at most 123 bytes. A closed client cannot be used again. */
    close(code?: number, reason?: string): Promise<void>;
  }

  export interface GatewaySource {
    /**
     * ws or wss: a message is sent and the answer awaited for five seconds. http or https: JSON or Prometheus text. Replicas
     * are an array: their counters are added up.
     */
    url: string | string[];
    /** Path (or Prometheus metric) that tells one process of the gateway from the next: its start time or instance. */
    identity?: string;
    /** The message that asks for the counters over WebSocket. Default `{ cmd: 'stats' }`. */
    request?: object | string;
    /** Path of the counters' object in the answer. Default 'server_stats', over HTTP else the whole answer. */
    path?: string;
    /**
     * Counter of the gateway → what the ledger predicts for it. In Prometheus text a counter is a metric, summed up over its
     * labels, or one with labels: `replies_total{code="RATE_LIMITED"}`.
     */
    map: Record<string, 'handshakes' | 'sent' | 'ok' | 'error' | 'frames' | `error:${string}`>;
  }

  export interface CounterCheck {
    name: string;
    before: number;
    after: number;
    delta: number;
    expected: number;
    difference: number;
    explanations: string[];
  }

  export interface Reconciliation {
    counters: CounterCheck[];
    /** Sum of the absolute differences. */
    difference: number;
    warnings: Warning[];
  }

  export class Gateway {
    constructor(source: GatewaySource);
    /** Reads the counters. Plain data: setup() may return it and teardown() reconcile with it. */
    snapshot(): Promise<Record<string, number>>;
    /** Reads the counters again and compares the growth with all that this process has sent and received meanwhile. */
    reconcile(before: Record<string, number>): Promise<Reconciliation>;
  }
}
