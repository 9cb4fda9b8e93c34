/**
 * Measures Quipu beside its peers in one run, in turns, on one machine. It reports and compares;
 * it fails only on wrong answers, never on slow ones.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BenchOptions, readOptions } from './bench-options.js';
import { catchUp, NO_LAG } from './catch-up.js';
import { type Figure } from './figure.js';
import {
  asksGateways,
  type Lane,
  type LaneGroup,
  measureStartUps,
  mockProgram,
  openLanes,
  type StartUp,
} from './lanes.js';
import { type Workload, workloadName } from './load/workload.js';
import { LoadClient } from './load-client.js';
import { observeMachine } from './machine.js';
import { startPeer } from './peer-process.js';
import { checkLedger } from './quipu.peer.js';
import { reportOf } from './report.js';
import { type Sample } from './sample.js';
import { requireTools } from './servers.js';
import { gatewayFigures } from './targets.js';

const progress = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const measure = async (
  generator: LoadClient,
  lane: Lane,
  workload: Workload,
  round: number,
  { warmUpMs, windowMs }: Pick<BenchOptions, 'warmUpMs' | 'windowMs'>,
): Promise<Sample> => {
  const { name, peer, projectionsUrl, ...asked } = lane;
  const { pid, port } = peer;
  const order = { ...workload, ...asked, port, pid, warmUpMs, windowMs };
  const result = await generator.run(order);
  const rate = Math.round(result.requestsPerSecond);
  progress(`round ${round}: ${name}, ${workloadName(workload)}: ${rate}/s`);
  // The next lane must not pay for the rest of this one.
  const lag = projectionsUrl === null ? NO_LAG : await catchUp(projectionsUrl);
  return { ...workload, lane: name, round, ...result, ...lag };
};

/**
 * Asks every lane for a while before anything counts: V8 compiles hot code only after thousands of
 * requests, and later on busy cores. These answers are charged, too.
 */
const breakIn = async (
  generator: LoadClient,
  lanes: readonly Lane[],
  { breakInMs, connections }: BenchOptions,
): Promise<readonly Sample[]> => {
  if (breakInMs === 0) return [];
  const samples: Sample[] = [];
  for (const lane of lanes)
    for (const streaming of [false, true]) {
      const workload = { connections: Math.max(...connections), streaming };
      const window = { warmUpMs: 0, windowMs: breakInMs };
      samples.push(await measure(generator, lane, workload, 0, window));
    }
  return samples;
};

/** Lanes take turns within a workload, so that neighbours in a ratio are neighbours in time. */
const measureLanes = async (
  generator: LoadClient,
  lanes: readonly Lane[],
  options: BenchOptions,
): Promise<readonly Sample[]> => {
  const samples: Sample[] = [];
  for (let round = 1; round <= options.rounds; round += 1)
    for (const streaming of [false, true])
      for (const connections of options.connections)
        for (const lane of lanes) {
          const workload = { connections, streaming };
          samples.push(await measure(generator, lane, workload, round, options));
        }
  return samples;
};

interface GatewayResults {
  readonly startUps: readonly StartUp[];
  readonly samples: readonly Sample[];
  /** The faults of the answers or the books; empty when all is well. */
  readonly complaints: readonly string[];
}

const wrongAnswersOf = (samples: readonly Sample[]): readonly string[] =>
  samples
    .filter(({ failures }) => failures > 0)
    .map(
      (sample) =>
        `${sample.lane}, ${workloadName(sample)}: ${sample.failures} wrong answers, ` +
        `the first: ${sample.firstFailure ?? ''}`,
    );

/** A wrong answer may have been charged or not, so books are held against right ones only. */
const wrongBooksOf = async (
  { home, lanes }: LaneGroup,
  samples: readonly Sample[],
): Promise<readonly string[]> => {
  if (home === null) return [];
  const names = lanes.map(({ name }) => name);
  const own = samples.filter(({ lane }) => names.includes(lane));
  const answers = own.reduce((sum, { answered }) => sum + answered, 0);
  progress(`ledger of ${names.join(' and ')}: ${answers} answers`);
  try {
    await checkLedger(home, answers);
    return [];
  } catch (error) {
    return [`the ledger of ${names.join(' and ')}: ${String(error)}`];
  }
};

const complaintsOf = async (
  groups: readonly LaneGroup[],
  samples: readonly Sample[],
): Promise<readonly string[]> => {
  const complaints = [...wrongAnswersOf(samples)];
  if (complaints.length > 0) return complaints;
  for (const group of groups) complaints.push(...(await wrongBooksOf(group, samples)));
  return complaints;
};

const benchGateways = async (options: BenchOptions): Promise<GatewayResults> => {
  if (!asksGateways(options)) return { startUps: [], samples: [], complaints: [] };
  const upstream = await startPeer(mockProgram, options.directory);
  const startUps = await measureStartUps(options, upstream.port);
  const groups = await openLanes(options, upstream);
  const lanes = groups.flatMap((group) => group.lanes);
  const generator = new LoadClient();
  const before = await breakIn(generator, lanes, options);
  const samples = await measureLanes(generator, lanes, options);
  generator.close();
  const complaints = await complaintsOf(groups, [...before, ...samples]);
  await Promise.all(groups.map((group) => group.stop()));
  await upstream.stop();
  return { startUps, samples, complaints };
};

/** Each is loaded only when asked for: it brings parts of Quipu itself into this process. */
const partFigures = async (options: BenchOptions): Promise<readonly Figure[]> => {
  const { parts } = options;
  const figures: Figure[] = [];
  if (parts.has('event-store')) {
    progress('event store: appends and replay');
    const { benchEventStore } = await import('./event-store.bench.js');
    figures.push(...(await benchEventStore()));
    progress('event store: the same through a node');
    const { benchServedEventStore } = await import('./served-event-store.bench.js');
    figures.push(...(await benchServedEventStore(options)));
  }
  if (parts.has('batches')) {
    progress('batches: their lines against the same requests one by one');
    const { benchBatches } = await import('./batch.bench.js');
    figures.push(...(await benchBatches(options)));
  }
  if (parts.has('jobs')) {
    progress('jobs: from the submission to the result, in process');
    const { benchJobs } = await import('./jobs.bench.js');
    figures.push(...(await benchJobs(options)));
  }
  if (parts.has('workflows')) {
    progress('workflows: nodes a second of one run and of several');
    const { benchWorkflows } = await import('./workflows.bench.js');
    figures.push(...(await benchWorkflows(options)));
  }
  if (parts.has('rebuild')) {
    progress('rebuild: read models from one log, in a file and on a server');
    const { benchRebuild } = await import('./rebuild.bench.js');
    figures.push(...(await benchRebuild(options)));
  }
  if (parts.has('worker')) {
    progress('worker: the built-in model in process and behind Kafka');
    const { benchWorker } = await import('./worker.bench.js');
    figures.push(...(await benchWorker(options)));
  }
  return figures;
};

const bench = async (asked: BenchOptions): Promise<void> => {
  await requireTools(asked.parts);
  await mkdir(asked.directory, { recursive: true });
  const directory = await mkdtemp(path.join(asked.directory, 'run-'));
  const options = { ...asked, directory };
  if (options.isProfile) {
    const { profileChats } = await import('./profile.bench.js');
    console.log(await profileChats(options));
    await rm(directory, { recursive: true });
    return;
  }
  const machineNow = await observeMachine(directory);
  const { startUps, samples, complaints } = await benchGateways(options);
  const figures = [...gatewayFigures(samples, startUps), ...(await partFigures(options))];
  const results = { machine: machineNow(), startUps, samples, figures };
  console.log(reportOf(results));
  if (options.jsonPath !== undefined)
    await writeFile(options.jsonPath, `${JSON.stringify(results, undefined, 2)}\n`);
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length === 0) await rm(directory, { recursive: true });
  else {
    console.error(`The logs of the peers are in ${directory}.`);
    process.exitCode = 1;
  }
};

// A signal ends a process without its exit hooks, and the peers would be left behind.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

await bench(readOptions(process.argv.slice(2)));
