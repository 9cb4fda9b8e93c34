/**
 * The CPU time of chats with a prompt of 1 KB and of 100 KB, beside a proxy that only copies bytes:
 * `npm run large-bodies -- [--rounds 5] [--seconds 3]`. The larger chat may cost 1.5 times the
 * smaller one and the copying, which is the difference between the two at the proxy.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { catchUp } from './catch-up.js';
import { bareProgram, mockProgram } from './lanes.js';
import { LoadClient } from './load-client.js';
import { UPSTREAM_MODEL } from './load/workload.js';
import { type PeerProcess, startPeer } from './peer-process.js';
import { freshQuipuHome, openAccounts, QUIPU_MODEL, startOnce } from './quipu.peer.js';
import { median } from './sample.js';

const SMALL = 1_000;
const LARGE = 100_000;
/** The larger prompt fits, so that all of it is counted. */
const CONTEXT = 1_000_000;
const CONNECTIONS = 8;
const WARM_UP_MS = 1_000;
const BREAK_IN_MS = 8_000;
const RATIO_MAX = 1.5;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
});
const [rounds, windowMs] = [Number(values.rounds), Number(values.seconds) * 1e3];

interface Asked {
  readonly peer: PeerProcess;
  readonly model: string;
  readonly apiKeys: readonly string[];
}

const directory = await mkdtemp(path.join(tmpdir(), 'quipu-large-bodies-'));
const upstream = await startPeer(mockProgram, directory);
const bare = await startPeer(bareProgram(upstream.port), directory);
const home = await freshQuipuHome(directory, upstream.port, CONTEXT);
await startOnce(home);
const { many } = await openAccounts(home, CONNECTIONS);
const quipu = await startPeer(home.program, directory);
const generator = new LoadClient();

/** Microseconds of CPU time for a chat. */
const costOf = async ({ peer, ...asked }: Asked, promptBytes: number, lengthMs = windowMs) => {
  const { port, pid } = peer;
  const workload = { connections: CONNECTIONS, streaming: false, promptBytes };
  const window = { warmUpMs: WARM_UP_MS, windowMs: lengthMs };
  const to = { port, pid, behindPids: [], headers: {} };
  const result = await generator.run({ ...workload, ...window, ...to, ...asked });
  if (result.failures > 0) throw new Error(result.firstFailure ?? 'an answer is wrong');
  if (peer === quipu) await catchUp(`http://127.0.0.1:${port}/health/ready`);
  return result.cpuMicrosPerRequest;
};

const byQuipu: Asked = { peer: quipu, model: QUIPU_MODEL, apiKeys: many };
const byProxy: Asked = { peer: bare, model: UPSTREAM_MODEL, apiKeys: ['sk-bench'] };

try {
  for (const asked of [byQuipu, byProxy]) {
    for (const bytes of [SMALL, LARGE]) await costOf(asked, bytes, BREAK_IN_MS);
  }
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const small = await costOf(byQuipu, SMALL);
    const large = await costOf(byQuipu, LARGE);
    const copying = (await costOf(byProxy, LARGE)) - (await costOf(byProxy, SMALL));
    ratios.push((large - copying) / small);
    const costs = [small, large, copying].map((micros) => `${micros.toFixed(0)} µs`);
    process.stdout.write(
      `round ${round}: 1 KB ${costs[0]}, 100 KB ${costs[1]}, copying ${costs[2]}: ` +
        `${ratios.at(-1)?.toFixed(2)}\n`,
    );
  }
  const ratio = median(ratios);
  const verdict = ratio <= RATIO_MAX ? 'met' : 'missed';
  process.stdout.write(
    `(100 KB - copying) : 1 KB, median ${ratio.toFixed(2)}; at most ${RATIO_MAX}: ${verdict}\n`,
  );
} finally {
  generator.close();
  for (const { stop } of [quipu, bare, upstream]) await stop();
  await rm(directory, { recursive: true, force: true });
}
