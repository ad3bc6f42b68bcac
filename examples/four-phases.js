// Four ways to load one gateway, and what each of them makes you believe.
//
//   wsgov run --gateway --out json=run.ndjson.gz examples/four-phases.js
//   wsgov report run.ndjson.gz
//
// A  one connection, each message after the reply to the one before: honest, but of one connection only
// B  80 connections, 1,000 messages each, as fast as the socket takes them: every message is answered, most with a refusal
// C  the same 80 connections, opened step by step, on a schedule under an in-flight cap: everything is delivered
// D  a gateway that takes 16 ms per message against a schedule of 10 ms, once in a closed loop and once in an open one

import { Client, Gateway } from 'k6/x/wsgov';

const base = __ENV.GATEWAY;
const message = { id: '{{id}}', text: 'x'.repeat(230) };   // about 256 bytes on the wire

export const options = {
  thresholds: {
    'wsgov_delivered{plan:C}': ['rate>0.999'],
    'wsgov_response_time{plan:C,outcome:ok}': ['p(99)<1000'],
    wsgov_unreconciled: ['value==0'],
  },
};

// plan runs one plan on its own connections and closes them.
async function plan(path, connections, connect, what) {
  const client = new Client(base + path, { connections, connect });
  const ledger = await client.drive({ message, ...what });
  await client.close();
  console.log(`${ledger.plan}: ${ledger.ok} of ${ledger.planned} delivered, ${ledger.error} refused, ${ledger.lost} lost, ${ledger.unsent} unsent`);
  return ledger;
}

export default async function () {
  if (!base) {
    throw new Error('no gateway: run with --gateway, or with -e GATEWAY=ws://host:port');
  }
  const gateway = new Gateway({
    url: `${base}/gateway`,
    request: { cmd: 'stats' },
    path: 'server_stats',
    map: { conns: 'handshakes', echoed: 'ok', limited: 'error:RATE_LIMITED' },
  });
  const before = await gateway.snapshot();

  await plan('/gateway', 1, undefined, { name: 'A', model: 'closed', count: 3000 });

  await plan('/gateway', 80, undefined, { name: 'B', model: 'burst', count: 1000, maxInFlight: 0 });

  await plan('/gateway', 80, { batch: 8, every: '500ms' },
    { name: 'C', rate: 100, duration: '10s', maxInFlight: 32, drain: '1500ms' });

  await plan('/serial?delay=16ms', 5, undefined, { name: 'D-closed', model: 'closed', rate: 100, duration: '10s' });
  await plan('/serial?delay=16ms', 5, undefined, { name: 'D-open', rate: 100, duration: '10s', maxInFlight: 32, drain: '8s' });

  const result = await gateway.reconcile(before);
  for (const c of result.counters) {
    console.log(`gateway ${c.name}: ${c.delta} counted, ${c.expected} expected, difference ${c.difference} ${c.explanations.join('; ')}`);
  }
  console.log(`unreconciled: ${result.difference}`);
}
