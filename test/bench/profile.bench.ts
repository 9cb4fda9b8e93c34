import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type BenchOptions } from './bench-options.js';
import { bareProgram, type Lane, mockProgram } from './lanes.js';
import { type LoadResult } from './load/load-run.js';
import { UPSTREAM_MODEL, type Workload, workloadName } from './load/workload.js';
import { LoadClient } from './load-client.js';
import { type PeerProcess, type PeerProgram, startPeer } from './peer-process.js';
import { type CpuProfile, type PartTime, partTimes, threadOf } from './profile.parts.js';
import {
  freshQuipuHome,
  openAccounts,
  QUIPU_MODEL,
  type QuipuHome,
  type QuipuKeys,
  quipuProgram,
  startOnce,
} from './quipu.peer.js';

/** Parts below this many microseconds a request are summed up. */
const SHOWN_MICROS_MIN = 0.5;
const SAMPLING_MICROS = 250;
/** V8 compiles hot code only after thousands of requests. */
const WARM_UP_MS = 8_000;

interface Asked {
  readonly peer: PeerProcess;
  readonly model: string;
  readonly apiKeys: readonly string[];
}

const micros = (): number => Number(process.hrtime.bigint() / 1_000n);

const orderFor = ({ peer, model, apiKeys }: Asked, workload: Workload, warmUpMs: number) => ({
  ...workload,
  port: peer.port,
  pid: peer.pid,
  behindPids: [],
  headers: {} satisfies Lane['headers'],
  model,
  apiKeys,
  warmUpMs,
});

/** One line of `--trace-gc`: the heap of one isolate before and after a collection, in MiB. */
const COLLECTION = /^\[\d+:(0x[0-9a-f]+)[^\n]* ms: [^\n]*? ([\d.]+) \([\d.]+\) -> ([\d.]+) \(/gm;

/** Bytes that were allocated: what each heap has grown between two of its collections. */
const allocatedBytes = (log: string): number => {
  const after = new Map<string, number>();
  let allocated = 0;
  for (const [, isolate = '', from, to] of log.matchAll(COLLECTION)) {
    const last = after.get(isolate);
    if (last !== undefined) allocated += Math.max(0, Number(from) - last);
    after.set(isolate, Number(to));
  }
  return allocated * 2 ** 20;
};

const withFlags = (program: PeerProgram, flags: readonly string[]): PeerProgram => ({
  ...program,
  args: (port) => [...flags, ...program.args(port)],
});

const logBytes = async ({ directory }: QuipuHome): Promise<number> =>
  (await stat(path.join(directory, 'events.db'))).size;

interface Costs {
  readonly result: LoadResult;
  readonly allocatedBytesPerRequest: number;
  readonly logBytesPerRequest: number;
}

/** The cost of a request while nothing but the collector's own report is switched on. */
const measureCosts = async (
  home: QuipuHome,
  { many }: QuipuKeys,
  options: BenchOptions,
  generator: LoadClient,
  workload: Workload,
): Promise<Costs> => {
  const bytesBefore = await logBytes(home);
  const folder = await mkdtemp(path.join(options.directory, 'costs-'));
  const peer = await startPeer(withFlags(home.program, ['--trace-gc']), folder);
  const logPath = path.join(folder, `${home.program.name}.log`);
  const { size: startUpLog } = await stat(logPath);
  const asked = { peer, model: QUIPU_MODEL, apiKeys: many };
  const order = orderFor(asked, workload, WARM_UP_MS);
  const result = await generator.run({ ...order, windowMs: options.windowMs });
  await peer.stop();
  const log = (await readFile(logPath)).subarray(startUpLog).toString();
  return {
    result,
    allocatedBytesPerRequest: allocatedBytes(log) / result.answered,
    logBytesPerRequest: ((await logBytes(home)) - bytesBefore) / result.answered,
  };
};

interface ThreadProfile {
  readonly thread: string;
  readonly parts: ReadonlyMap<string, PartTime>;
}

interface Profiled {
  readonly threads: readonly ThreadProfile[];
  readonly requests: number;
}

const measureProfile = async (
  home: QuipuHome,
  { many }: QuipuKeys,
  options: BenchOptions,
  generator: LoadClient,
  workload: Workload,
): Promise<Profiled> => {
  const folder = await mkdtemp(path.join(options.directory, 'profile-'));
  const flags = [
    '--cpu-prof',
    `--cpu-prof-dir=${folder}`,
    `--cpu-prof-interval=${SAMPLING_MICROS}`,
  ];
  // The parts are known by the paths of modules.
  const program = quipuProgram('standalone', home.environment, 'dist');
  const peer = await startPeer(withFlags(program, flags), options.directory);
  const asked = { peer, model: QUIPU_MODEL, apiKeys: many };
  await generator.run({ ...orderFor(asked, workload, 0), windowMs: WARM_UP_MS });
  const from = micros();
  const { answered } = await generator.run({
    ...orderFor(asked, workload, 0),
    windowMs: options.windowMs,
  });
  const to = micros();
  await peer.stop();
  const threads: ThreadProfile[] = [];
  for (const name of await readdir(folder)) {
    const profile = JSON.parse(await readFile(path.join(folder, name), 'utf8')) as CpuProfile;
    threads.push({ thread: threadOf(profile), parts: partTimes(profile, from, to) });
  }
  return { threads, requests: answered };
};

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const threadTable = ({ thread, parts }: ThreadProfile, requests: number): string | null => {
  const rows = [...parts]
    .map(([part, { self, inclusive }]) => ({
      part,
      self: self / requests,
      inclusive: inclusive / requests,
    }))
    .sort((one, other) => other.self - one.self);
  const shown = rows.filter(({ inclusive }) => inclusive >= SHOWN_MICROS_MIN);
  if (shown.length === 0) return null;
  const sum = rows.reduce((total, { self }) => total + self, 0);
  return [
    line([`thread \`${thread}\`, part`, 'self µs', 'inclusive µs']),
    line(['---', '---:', '---:']),
    ...shown.map(({ part, self, inclusive }) =>
      line([part, self.toFixed(1), inclusive.toFixed(1)]),
    ),
    line(['**sum**', `**${sum.toFixed(1)}**`, '']),
  ].join('\n');
};

const costTable = (bare: LoadResult, { result, ...costs }: Costs): string =>
  [
    line(['figure', 'bare proxy', 'Quipu', 'ratio']),
    line(['---', '---:', '---:', '---:']),
    line([
      'CPU µs a request',
      bare.cpuMicrosPerRequest.toFixed(0),
      result.cpuMicrosPerRequest.toFixed(0),
      (result.cpuMicrosPerRequest / bare.cpuMicrosPerRequest).toFixed(2),
    ]),
    line([
      'req/s',
      bare.requestsPerSecond.toFixed(0),
      result.requestsPerSecond.toFixed(0),
      (result.requestsPerSecond / bare.requestsPerSecond).toFixed(2),
    ]),
    line(['KB allocated a request', '', (costs.allocatedBytesPerRequest / 1e3).toFixed(1), '']),
    line(['bytes of log a request', '', costs.logBytesPerRequest.toFixed(0), '']),
    line(['RSS MB', '', (result.rssBytes / 1e6).toFixed(0), '']),
  ].join('\n');

/** Where the time of a chat goes, part by part: a table of costs, and one for each thread. */
export const profileChats = async (options: BenchOptions): Promise<string> => {
  const upstream = await startPeer(mockProgram, options.directory);
  const bare = await startPeer(bareProgram(upstream.port), options.directory);
  const home = await freshQuipuHome(options.directory, upstream.port);
  await startOnce(home);
  const keys = await openAccounts(home, options.accounts);
  const generator = new LoadClient();
  const sections: string[] = [];
  for (const connections of options.connections)
    for (const streaming of [false, true]) {
      const workload = { connections, streaming };
      const asked = { peer: bare, model: UPSTREAM_MODEL, apiKeys: ['sk-bench'] };
      const { windowMs } = options;
      const proxied = await generator.run({ ...orderFor(asked, workload, 2_000), windowMs });
      const costs = await measureCosts(home, keys, options, generator, workload);
      const { threads, requests } = await measureProfile(home, keys, options, generator, workload);
      sections.push(
        `### ${workloadName(workload)}`,
        costTable(proxied, costs),
        ...threads.map((thread) => threadTable(thread, requests)).filter((text) => text !== null),
      );
    }
  generator.close();
  await bare.stop();
  await upstream.stop();
  return sections.join('\n\n');
};
