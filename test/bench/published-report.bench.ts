import { type BenchOptions } from './bench-options.js';
import { type Lane } from './lanes.js';
import { observeMachine } from './machine.js';
import { MeasuredLanes } from './measured-lanes.js';
import { versionOf } from './peer-versions.js';
import { P99_BOUNDS_MS, publishedPage } from './published-table.js';
import { type Ladder, nextConnections, p99Within, type Rung, withoutStall } from './rung-search.js';
import { type Sample, Samples } from './sample.js';

const ALONE = { connections: 1, streaming: false };
/** A model of fifty tokens a second. */
const PACE_MS = 20;

const WHOLE: Ladder = { conditions: P99_BOUNDS_MS.map(p99Within), first: 1, max: 256 };
const STREAMS: Ladder = { conditions: [withoutStall], first: 4, max: 512 };

type Rungs = ReadonlyMap<Lane, readonly Rung[]>;

/** Lanes take turns: each tries one load, until no lane has another to try. */
const climb = async (
  measured: MeasuredLanes,
  lanes: readonly Lane[],
  ladder: Ladder,
  stream: { readonly paceMs: number } | null,
): Promise<Rungs> => {
  const rungs = new Map<Lane, readonly Rung[]>(lanes.map((lane) => [lane, []]));
  const workload = stream ? { streaming: true, ...stream } : { streaming: false };
  let climbing = true;
  for (let round = 1; climbing; round += 1) {
    climbing = false;
    for (const [lane, tried] of rungs) {
      const connections = nextConnections(tried, ladder);
      if (connections === undefined) continue;
      climbing = true;
      const rung = await measured.measure(lane, { ...workload, connections }, round);
      rungs.set(lane, [...tried, rung]);
    }
  }
  return rungs;
};

export interface Report {
  readonly table: string;
  readonly complaints: readonly string[];
}

/** Every gateway of the run under the loads that a published table speaks about. */
export const benchReport = async (options: BenchOptions): Promise<Report> => {
  const machineNow = await observeMachine(options.directory);
  const loadedWorkload = { connections: Math.max(...options.connections), streaming: false };
  const measured = await MeasuredLanes.open(options);
  const lanes = measured.lanes.filter(({ name }) => name !== 'quipu-hot');
  const samples = await measured.measureRounds(lanes, [ALONE, loadedWorkload]);
  const whole = await climb(measured, lanes, WHOLE, null);
  const streams = await climb(measured, lanes, STREAMS, { paceMs: PACE_MS });
  // Under too much load a peer may fail: that is a result, unless it keeps books.
  const searched = new Set<unknown>([...whole.values(), ...streams.values()].flat());
  const isJudged = (sample: Sample): boolean =>
    !searched.has(sample) || measured.keepsBooks(sample.lane);
  const complaints = await measured.complaints(isJudged);
  await measured.close();
  const table = publishedPage({
    machine: machineNow(),
    command: `npm run bench -- ${process.argv.slice(2).join(' ')}`,
    date: new Date().toISOString().slice(0, 10),
    paceMs: PACE_MS,
    alone: new Samples(samples, ALONE),
    loaded: new Samples(samples, loadedWorkload),
    peers: await Promise.all(
      lanes.map(async (lane) => ({
        lane: lane.name,
        version: await versionOf(lane.name, options),
        whole: whole.get(lane) ?? [],
        streams: streams.get(lane) ?? [],
      })),
    ),
  });
  return { table, complaints };
};
