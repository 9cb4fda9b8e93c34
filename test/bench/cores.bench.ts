import { type BenchOptions } from './bench-options.js';
import { type Figure } from './figure.js';
import { mockProgram } from './lanes.js';
import { LoadClient } from './load-client.js';
import { type PeerProcess, type PeerProgram, startPeer } from './peer-process.js';
import { freshQuipuHome, openAccounts, QUIPU_MODEL, startOnce } from './quipu.peer.js';
import { median } from './sample.js';

const CONNECTIONS = 50;
const RATIO_MIN = 1.7;
const WARM_UP_MS = 8_000;

const onCores = (program: PeerProgram, cores: string): PeerProgram => ({
  ...program,
  executable: 'taskset',
  args: (port) => ['--cpu-list', cores, process.execPath, ...program.args(port)],
});

/**
 * Requests a second of one `npm start` on two cores over the same on one. The generator and the
 * upstream run on all cores, so only a machine with more than two keeps them out of the way.
 */
export const benchCores = async (options: BenchOptions): Promise<readonly Figure[]> => {
  const { accounts, directory, rounds, windowMs, isQuick } = options;
  const upstream = await startPeer(mockProgram, directory);
  const generator = new LoadClient();
  const start = async (cores: string) => {
    const home = await freshQuipuHome(directory, upstream.port);
    await startOnce(home);
    const { many } = await openAccounts(home, accounts);
    return { peer: await startPeer(onCores(home.program, cores), directory), apiKeys: many };
  };
  type Started = Awaited<ReturnType<typeof start>>;
  const rate = async ({ peer: { pid, port }, apiKeys }: Started, warmUpMs: number) => {
    const workload = { connections: CONNECTIONS, streaming: false, warmUpMs, windowMs };
    const asked = { model: QUIPU_MODEL, apiKeys, behindPids: [], headers: {} };
    return (await generator.run({ ...workload, ...asked, port, pid })).requestsPerSecond;
  };
  const one = await start('0');
  const two = await start('0,1');
  for (const peer of [one, two]) await rate(peer, isQuick ? 0 : WARM_UP_MS);
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const alone = await rate(one, options.warmUpMs);
    ratios.push((await rate(two, options.warmUpMs)) / alone);
  }
  generator.close();
  const stopped: readonly PeerProcess[] = [one.peer, two.peer, upstream];
  for (const peer of stopped) await peer.stop();
  const name = `Quipu on two cores : on one, req/s, ${CONNECTIONS} connections`;
  return [{ name, value: median(ratios), unit: 'x', target: { atLeast: RATIO_MIN } }];
};
