// Package gateway is the reference gateway: a WebSocket server with a known rate limit, known delays and its own books.
//
// It exists to be measured. What it did to every message is known from its rules, its counters and its journal, so a
// client's account can be held against it. It shares no code with any client: a mistake in one cannot cancel itself in
// the other. It belongs in a process of its own; a client in the same process would measure its own queueing.
//
// # Endpoints
//
//	/gateway   limited by a token bucket, answered concurrently and therefore out of order
//	/serial    no bucket; each connection handles one message at a time
//	/echo      every frame comes back unchanged, at once
//	/stats     GET: counters and process identity as JSON
//	/metrics   GET: the same for Prometheus, with service times and the Go runtime's and the process's own metrics
//	/healthz   GET: 200 while it serves
//
// The first three are WebSocket endpoints. A plain request to them is answered 426.
//
// # Rules
//
// On /gateway each connection has one token bucket of capacity 100, refilled with 400 tokens a second, full at the start;
// its clock starts with the first message. A message costs one token. With a token it is handled concurrently: after
// 2 ms and an exponentially distributed time of mean 3 ms the reply is
//
//	{"id":7,"ok":true}
//
// Without a token the reply is, at once,
//
//	{"id":7,"ok":false,"code":"RATE_LIMITED"}
//
// The id is given back with the JSON type and the very text it came with: 1, "1", 1.0 and "06" are four ids. Member names
// are compared exactly, and of several members of one name the last counts. A message that is not a JSON object, or
// has no id, or the id null, costs no token and is answered at once with
//
//	{"id":null,"ok":false,"code":"BAD_MESSAGE"}
//
// On /serial a connection takes 5 ms for each message, one after the other. The pace is kept on nominal
// instants, done(k) = max(done(k-1), received(k)) + delay, so a timer that fires late delays one reply and not all after
// it: 1,000 messages queued at 16 ms are done 16.0 s after the first.
//
// On /echo nothing is delayed or checked. A client that does not read its echoes is not read from either.
//
// A message {"cmd":"stats"} on any of the three is a control message. It costs no token, waits in no queue and is
// answered, not counting itself yet,
//
//	{"server_stats":{"conns":172,"received":168654,"echoed":96902,"limited":71752,"bad":0,"control":2,"undelivered":0,"abandoned":0},"process":"dk2x9qm1c0p4-4242"}
//
// with its id in front if it has one. Replies are text frames, echoes have the type of what they echo. A message may be
// 1 MiB long after decompression.
//
// # Counters
//
// GET /stats answers in the same shape and adds what each endpoint has and holds:
//
//	{"server_stats":{"conns":172,…},"process":"dk2x9qm1c0p4-4242","paths":{"/gateway":{"conns":162,…,"open":80,"waiting":3},…}}
//
// Conns counts accepted upgrades, before the client can see that it was accepted. Echoed, limited and bad count replies
// handed to the socket, by verdict (echoed means ok). They are raised just before the write, so whoever holds a
// reply finds it counted. Undelivered counts those among them whose write failed. Abandoned counts messages that
// got no reply because their connection ended first. Control counts answered control messages; received counts all
// other messages. At rest, received = echoed + limited + bad + abandoned.
//
// Counters never go down. They are comparable within one process: the process identity is made of start time and
// process id, and differs after a restart.
//
// # Knobs
//
// Each rule has a flag for the whole process and a query parameter for one connection:
//
//	--capacity      /gateway?capacity=   tokens in a full bucket
//	--refill        /gateway?refill=     tokens a second; 0 never refills
//	--delay         /gateway?delay=      fixed part of the delay
//	--jitter        /gateway?jitter=     mean of the exponential part
//	--seed          /gateway?seed=       seed of the delays
//	--serial-delay  /serial?delay=       time for each message
//
// Durations are written as in Go ("16ms", "1.5s"); a bare number is milliseconds. A parameter that is unknown, repeated
// or invalid is refused with status 400 and a sentence that names the valid ones. Delays are drawn from a generator of
// their own for each connection, derived from the seed and the connection's number: the k-th granted message of connection n
// is delayed equally in every run with the same seed.
//
// # Limits
//
// Up to 100,000 replies may wait on a connection (--max-queue). One more closes it with 1013 and a reason. A
// client that takes nothing for 10 s (--write-timeout, kept to a tenth) is cut off. In both cases what waited is
// counted as abandoned. Stopping the gateway closes every connection with 1001. Permessage-deflate is agreed to with
// --compression only.
//
// # Start and end
//
// When it listens it prints one line, in which the address is the real one even if port 0 was asked for:
//
//	wsgov gateway ready ws://127.0.0.1:43127 pid=4242
//
// It serves until it is told to stop and exits 0, or 1 if flags were wrong, it could not listen, or the journal is
// incomplete.
//
// # Journal
//
// With --journal an existing file is replaced by one JSON object a line. Times are monotonic nanoseconds since the
// head's start. The lines of a connection are between its open and its close.
//
//	{"kind":"head","version":1,"process":"dk2x9qm1c0p4-4242","pid":4242,"start":"2026-05-04T03:02:01.5Z","seed":1,"capacity":100,"refill":400,"delay":2000000,"jitter":3000000,"serial_delay":5000000}
//	{"kind":"open","conn":3,"remote":"127.0.0.1:51234","path":"/gateway","query":"refill=0","at":1200345678}
//	{"kind":"message","conn":3,"remote":"127.0.0.1:51234","path":"/gateway","id":7,"received":1201000000,"replied":1206100000,"verdict":"ok"}
//	{"kind":"close","conn":3,"remote":"127.0.0.1:51234","path":"/gateway","at":1300000000,"code":1000,"by":"client"}
//
// Remote is the client's own local address. Id is the id as it came, or null. Received is taken when the read of the
// message returned, replied when the write of the reply returned. Verdict is "ok", "limited", "bad" or
// "control"; one more member, "fate", is there only if the reply did not get out: "undelivered" if its write failed,
// "abandoned" if it was never written, and then replied is 0. So the lines with a verdict and without the fate "abandoned"
// are as many as the counter of that verdict. By is "client" or "gateway"; code is 1006 if the connection broke.
// The file lags behind by 200 ms at most and is complete when the process has ended. Nothing is ever left out:
// a disk that is too slow slows the gateway down. If it is full that is said once, and the exit code is 1.
package gateway
