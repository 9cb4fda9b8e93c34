/**
 * Sends bundles to hardy-tcpclv4 (Rust) and takes some of it: `node test/oracles/bundles/tcpcl.ts
 * PROGRAM`, after a build. It fails unless every byte arrives, in both directions.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { connectTcpcl, serveTcpcl } from '#engines/convergence/tcpcl.js';
import { systemTimers } from '#engines/convergence/timers.js';

const [program = ''] = process.argv.slice(2);
const HARDY_PORT = 24_556;
const HOST = '127.0.0.1';
const SIZES = [0, 1, 100, 4_096, 4_097, 65_536, 1_000_000];
const taken: string[] = [];
const terms = {
  ...{ node: 'dtn://quipu/', keepaliveSec: 60, segmentMru: 10_000, transferMru: 2_000_000 },
  ...{ tls: null, timers: systemTimers },
  take: (bundle: Uint8Array) => {
    taken.push(Buffer.from(bundle).toString('hex'));
    return Promise.resolve(null);
  },
};

const demand = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`hardy-tcpclv4 differs: ${what}`);
};

const server = await serveTcpcl(
  { host: HOST, port: 0 },
  {
    ...terms,
    onSession: () => undefined,
    onFault: (fault) => demand(false, fault.message),
    connectionsMax: 4,
  },
);
const hardy = spawn(program, [String(HARDY_PORT), `${HOST}:${server.port}`]);
const lines: string[] = [];
createInterface({ input: hardy.stdout }).on('line', (line) => lines.push(line));
const until = async (holds: () => boolean, what: string): Promise<void> => {
  for (let n = 0; n < 200 && !holds(); n += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
  demand(holds(), what);
};
try {
  await until(() => lines.includes('ready'), 'it does not start');
  const bundles = SIZES.map((size, n) => Buffer.alloc(size, n + 1).toString('hex')).filter(Boolean);
  const session = await connectTcpcl({ host: HOST, port: HARDY_PORT }, terms);
  demand(session.peer.node === 'ipn:77.0', `it is called ${session.peer.node}`);
  await Promise.all(bundles.map((one) => session.send(Buffer.from(one, 'hex'))));
  await until(
    () => lines.filter((line) => line.startsWith('received')).length === bundles.length,
    'bundles are missing',
  );
  demand(
    bundles.every((one) => lines.includes(`received ${one}`)),
    'a bundle has other bytes',
  );
  await session.end();
  demand((await session.ended) === null, 'the session does not end in order');
  for (const one of bundles) hardy.stdin.write(`${one}\n`);
  await until(
    () => lines.filter((line) => line === 'sent true').length === bundles.length,
    'it cannot send',
  );
  demand(JSON.stringify(taken) === JSON.stringify(bundles), 'a bundle came with other bytes');
  process.stdout.write(
    `${bundles.length} bundles in each direction, up to ${Math.max(...SIZES)} bytes\n`,
  );
} finally {
  hardy.kill();
  await server.close();
}
