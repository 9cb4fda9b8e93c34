/**
 * Measures Quipu beside its peers in one run, in turns, on one machine. It reports and compares;
 * it fails only on wrong answers, never on slow ones.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BenchOptions, readOptions } from './bench-options.js';
import { type Figure } from './figure.js';
import {
  gatewayParts,
  type Lane,
  measureStartUps,
  mockProgram,
  openLanes,
  type StartUp,
} from './lanes.js';
import { type Workload, workloadName } from './load/workload.js';
import { LoadClient } from './load-client.js';
import { observeMachine } from './machine.js';
import { startPeer } from './peer-process.js';
import { reportOf } from './report.js';
import { type Sample } from './sample.js';
import { gatewayFigures } from './targets.js';

const progress = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const measure = async (
  generator: LoadClient,
  lane: Lane,
  workload: Workload,
  round: number,
  { warmUpMs, windowMs }: BenchOptions,
): Promise<Sample> => {
  const { name, peer, model, apiKeys, headers } = lane;
  const { pid, port } = peer;
  const order = { ...workload, port, pid, model, apiKeys, headers, warmUpMs, windowMs };
  const result = await generator.run(order);
  const rate = Math.round(result.requestsPerSecond);
  progress(`round ${round}: ${name}, ${workloadName(workload)}: ${rate}/s`);
  return { ...workload, lane: name, round, ...result };
};

/** Lanes take turns within a workload, so that neighbours in a ratio are neighbours in time. */
const measureLanes = async (
  lanes: readonly Lane[],
  options: BenchOptions,
): Promise<readonly Sample[]> => {
  const generator = new LoadClient();
  const samples: Sample[] = [];
  for (let round = 1; round <= options.rounds; round += 1)
    for (const streaming of [false, true])
      for (const connections of options.connections)
        for (const lane of lanes) {
          const workload = { connections, streaming };
          samples.push(await measure(generator, lane, workload, round, options));
        }
  generator.close();
  return samples;
};

interface GatewayResults {
  readonly startUps: readonly StartUp[];
  readonly samples: readonly Sample[];
}

const benchGateways = async (options: BenchOptions): Promise<GatewayResults> => {
  if (gatewayParts(options).length === 0) return { startUps: [], samples: [] };
  const upstream = await startPeer(mockProgram, options.directory);
  const startUps = await measureStartUps(options, upstream.port);
  const lanes = await openLanes(options, upstream);
  const samples = await measureLanes(lanes, options);
  await Promise.all([...new Set(lanes.map(({ peer }) => peer))].map((peer) => peer.stop()));
  await upstream.stop();
  return { startUps, samples };
};

/** Loaded only when asked for: it brings the event store itself into this process. */
const storeFigures = async ({ parts }: BenchOptions): Promise<readonly Figure[]> => {
  if (!parts.has('event-store')) return [];
  progress('event store: appends and replay');
  const { benchEventStore } = await import('./event-store.bench.js');
  return benchEventStore();
};

const complaintsOf = (samples: readonly Sample[]): readonly string[] =>
  samples
    .filter(({ failures }) => failures > 0)
    .map(
      (sample) =>
        `${sample.lane}, ${workloadName(sample)}: ${sample.failures} wrong answers, ` +
        `the first: ${sample.firstFailure ?? ''}`,
    );

const bench = async (asked: BenchOptions): Promise<void> => {
  await mkdir(asked.directory, { recursive: true });
  const directory = await mkdtemp(path.join(asked.directory, 'run-'));
  const options = { ...asked, directory };
  const machineNow = await observeMachine(directory);
  const { startUps, samples } = await benchGateways(options);
  const figures = [...gatewayFigures(samples, startUps), ...(await storeFigures(options))];
  const results = { machine: machineNow(), startUps, samples, figures };
  console.log(reportOf(results));
  if (options.jsonPath !== undefined)
    await writeFile(options.jsonPath, `${JSON.stringify(results, undefined, 2)}\n`);
  const complaints = complaintsOf(samples);
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
