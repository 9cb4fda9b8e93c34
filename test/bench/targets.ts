import { type Figure } from './figure.js';
import { type LaneName, type StartUp } from './lanes.js';
import { type Workload, workloadName } from './load/workload.js';
import { type Measure, median, type Sample, Samples } from './sample.js';

type Bound = NonNullable<Figure['target']>;

/** The promises of Quipu about itself relative to another lane of the same run. */
interface Promised extends Workload {
  readonly lane: LaneName;
  readonly against: LaneName;
  readonly measure: Measure;
  readonly bound: Bound;
}

const MEASURE_NAMES: Readonly<Record<Measure, string>> = {
  requestsPerSecond: 'req/s',
  p50Ms: 'p50',
  p99Ms: 'p99',
  cpuMicrosPerRequest: 'CPU a request',
  cpuMicrosPerRequestInAll: 'CPU a request in all',
  rssBytes: 'RSS',
  lagPositions: 'lag',
  lagMs: 'lag in time',
  catchUpMs: 'time to catch up',
};

export const LANE_NAMES: Readonly<Record<LaneName, string>> = {
  mock: 'the mock upstream',
  bare: 'the bare proxy',
  floor: 'the floor',
  portkey: 'Portkey',
  litellm: 'LiteLLM',
  quipu: 'Quipu',
  'quipu-hot': 'Quipu, one hot account',
  'quipu-fleet': 'Quipu on the production engines',
};

const whole = (connections: number) => ({ connections, streaming: false });
const streams = (connections: number) => ({ connections, streaming: true });

const throughput = (
  workload: Workload,
  against: LaneName,
  atLeast: number,
  lane: LaneName = 'quipu',
): Promised => ({ ...workload, lane, against, measure: 'requestsPerSecond', bound: { atLeast } });

const aboveFloor = (workload: Workload, measure: Measure, atMost: number): Promised => ({
  ...workload,
  lane: 'quipu',
  against: 'floor',
  measure,
  bound: { atMost },
});

const PROMISED: readonly Promised[] = [
  throughput(whole(10), 'portkey', 3),
  throughput(whole(50), 'portkey', 4),
  aboveFloor(whole(10), 'cpuMicrosPerRequest', 2),
  aboveFloor(whole(50), 'cpuMicrosPerRequest', 2),
  aboveFloor(whole(50), 'p99Ms', 3),
  throughput(streams(10), 'bare', 0.6),
  throughput(streams(50), 'bare', 0.6),
  // Portkey sleeps 25 ms before the first chunk: with fewer streams a ratio to it says little.
  throughput(streams(50), 'portkey', 2.5),
  throughput(whole(10), 'quipu', 0.8, 'quipu-hot'),
  throughput(whole(50), 'quipu', 0.8, 'quipu-hot'),
  throughput(whole(10), 'quipu', 0.5, 'quipu-fleet'),
  throughput(whole(50), 'quipu', 0.5, 'quipu-fleet'),
  throughput(streams(10), 'quipu', 0.5, 'quipu-fleet'),
  throughput(streams(50), 'quipu', 0.5, 'quipu-fleet'),
];

/** The workload under which memory is read. */
const LOADED = whole(50);
const RSS_UNDER_LOAD_MB_MAX = 300;
const START_UP_MS_MAX = 1_500;
const RSS_AT_READY_MB_MAX = 200;

const promiseFigure = (samples: readonly Sample[], promised: Promised): Figure | undefined => {
  const { lane, against, measure, bound } = promised;
  const measured = new Samples(samples, promised);
  if (!measured.has(lane) || !measured.has(against)) return undefined;
  return {
    name: [
      `${LANE_NAMES[lane]} : ${LANE_NAMES[against]}`,
      MEASURE_NAMES[measure],
      workloadName(promised),
    ].join(', '),
    value: measured.ratio(lane, against, measure),
    unit: 'x',
    target: bound,
  };
};

const startUpFigures = (startUps: readonly StartUp[]): readonly Figure[] => {
  const own = startUps.filter(({ name }) => name === 'quipu');
  if (own.length === 0) return [];
  return [
    {
      name: 'Quipu, first start to ready',
      value: median(own.map(({ startUpMs }) => startUpMs)),
      unit: 'ms',
      target: { atMost: START_UP_MS_MAX },
    },
    {
      name: 'Quipu, RSS at ready, no model loaded',
      value: median(own.map(({ rssAtReadyBytes }) => rssAtReadyBytes)) / 1e6,
      unit: 'MB',
      target: { atMost: RSS_AT_READY_MB_MAX },
    },
  ];
};

const memoryFigures = (samples: readonly Sample[]): readonly Figure[] => {
  const loaded = new Samples(samples, LOADED);
  if (!loaded.has('quipu')) return [];
  return [
    {
      name: `Quipu, RSS, ${workloadName(LOADED)}`,
      value: loaded.median('quipu', 'rssBytes') / 1e6,
      unit: 'MB',
      target: { atMost: RSS_UNDER_LOAD_MB_MAX },
    },
  ];
};

/** The promises this run can speak about: a lane that was left out leaves its lines out. */
export const gatewayFigures = (
  samples: readonly Sample[],
  startUps: readonly StartUp[],
): readonly Figure[] => [
  ...PROMISED.map((promised) => promiseFigure(samples, promised)).filter(
    (figure) => figure !== undefined,
  ),
  ...memoryFigures(samples),
  ...startUpFigures(startUps),
];
