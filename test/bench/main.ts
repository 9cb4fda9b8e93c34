/**
 * Measures Quipu beside its peers in one run, in turns, on one machine. It reports and compares;
 * it fails only on wrong answers, never on slow ones.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BenchOptions, readOptions } from './bench-options.js';
import { type Figure } from './figure.js';
import { asksGateways, type StartUp } from './lanes.js';
import { observeMachine } from './machine.js';
import { MeasuredLanes, progress } from './measured-lanes.js';
import { reportOf } from './report.js';
import { type Sample } from './sample.js';
import { requireTools } from './servers.js';
import { gatewayFigures } from './targets.js';

interface GatewayResults {
  readonly startUps: readonly StartUp[];
  readonly samples: readonly Sample[];
  /** The faults of the answers or the books; empty when all is well. */
  readonly complaints: readonly string[];
}

const benchGateways = async (options: BenchOptions): Promise<GatewayResults> => {
  if (!asksGateways(options)) return { startUps: [], samples: [], complaints: [] };
  const measured = await MeasuredLanes.open(options);
  const workloads = [false, true].flatMap((streaming) =>
    options.connections.map((connections) => ({ connections, streaming })),
  );
  const samples = await measured.measureRounds(measured.lanes, workloads);
  const complaints = await measured.complaints();
  await measured.close();
  return { startUps: measured.startUps, samples, complaints };
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
  if (parts.has('cores')) {
    progress('cores: requests of one process on one core and on two');
    const { benchCores } = await import('./cores.bench.js');
    figures.push(...(await benchCores(options)));
  }
  return figures;
};

/** The logs of the peers are kept if there is something to complain about. */
const conclude = async (complaints: readonly string[], directory: string): Promise<void> => {
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length === 0) await rm(directory, { recursive: true });
  else {
    console.error(`The logs of the peers are in ${directory}.`);
    process.exitCode = 1;
  }
};

const publish = async (options: BenchOptions, file: string): Promise<void> => {
  const { benchReport } = await import('./published-report.bench.js');
  const { table, complaints } = await benchReport(options);
  await writeFile(file, table);
  console.log(table);
  progress(`written to ${file}`);
  await conclude(complaints, options.directory);
};

const profile = async (options: BenchOptions): Promise<void> => {
  const { profileChats } = await import('./profile.bench.js');
  console.log(await profileChats(options));
  await rm(options.directory, { recursive: true });
};

const bench = async (asked: BenchOptions): Promise<void> => {
  await requireTools(asked.parts);
  await mkdir(asked.directory, { recursive: true });
  const directory = await mkdtemp(path.join(asked.directory, 'run-'));
  const options = { ...asked, directory };
  if (options.isProfile) return profile(options);
  if (options.reportPath !== undefined) return publish(options, options.reportPath);
  const machineNow = await observeMachine(directory);
  const { startUps, samples, complaints } = await benchGateways(options);
  const figures = [...gatewayFigures(samples, startUps), ...(await partFigures(options))];
  const results = { machine: machineNow(), startUps, samples, figures };
  console.log(reportOf(results));
  if (options.jsonPath !== undefined)
    await writeFile(options.jsonPath, `${JSON.stringify(results, undefined, 2)}\n`);
  return conclude(complaints, directory);
};

// A signal ends a process without its exit hooks, and the peers would be left behind.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

await bench(readOptions(process.argv.slice(2)));
