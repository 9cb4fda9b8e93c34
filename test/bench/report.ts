import { type Figure } from './figure.js';
import { type LaneName, LANES, type StartUp } from './lanes.js';
import { type Workload, workloadName } from './load/workload.js';
import { type Machine } from './machine.js';
import { median, type Measure, type Sample, Samples } from './sample.js';

export interface BenchResults {
  readonly machine: Machine;
  readonly startUps: readonly StartUp[];
  readonly samples: readonly Sample[];
  readonly figures: readonly Figure[];
}

export const table = (
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = headings.map((_, column) => (column === 0 ? '---' : '---:'));
  return [line(headings), line(rule), ...rows.map(line)].join('\n');
};

/** Three significant digits, without exponents. */
export const shown = (value: number): string => {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
};

export const mib = (bytes: number): string => shown(bytes / 2 ** 20);

const ratio = (of: Samples, lane: LaneName, other: LaneName, measure: Measure): string =>
  of.has(other) ? shown(of.ratio(lane, other, measure)) : '-';

/** One round has no spread to speak of. */
const spread = (of: Samples, lane: LaneName): string => {
  const share = of.spread(lane, 'requestsPerSecond');
  return share === 0 ? '-' : `${Math.round(share * 100)} %`;
};

const HEADINGS = [
  'lane',
  'req/s',
  'spread',
  'p50 ms',
  'p99 ms',
  'CPU µs/req',
  'RSS MiB',
  'req/s : Portkey',
  'req/s : floor',
  'req/s : bare',
  'CPU : floor',
  'failures',
];

const laneRow = (of: Samples, lane: LaneName): readonly string[] => [
  lane,
  shown(of.median(lane, 'requestsPerSecond')),
  spread(of, lane),
  shown(of.median(lane, 'p50Ms')),
  shown(of.median(lane, 'p99Ms')),
  shown(of.median(lane, 'cpuMicrosPerRequest')),
  mib(of.median(lane, 'rssBytes')),
  ratio(of, lane, 'portkey', 'requestsPerSecond'),
  ratio(of, lane, 'floor', 'requestsPerSecond'),
  ratio(of, lane, 'bare', 'requestsPerSecond'),
  ratio(of, lane, 'floor', 'cpuMicrosPerRequest'),
  String(of.failures(lane)),
];

/** The headings that only a Quipu of several processes has. */
const FLEET_HEADINGS = [
  'CPU µs/req in all',
  'req/s : quipu',
  'lag, positions',
  'lag ms',
  'caught up after ms',
];

const fleetCells = (of: Samples, lane: LaneName): readonly string[] => [
  shown(of.median(lane, 'cpuMicrosPerRequestInAll')),
  ratio(of, lane, 'quipu', 'requestsPerSecond'),
  shown(of.median(lane, 'lagPositions')),
  shown(of.median(lane, 'lagMs')),
  shown(of.median(lane, 'catchUpMs')),
];

const workloadsOf = (samples: readonly Sample[]): readonly Workload[] => {
  const distinct = new Map<string, Workload>();
  for (const { connections, streaming } of samples)
    distinct.set(`${streaming}-${connections}`, { connections, streaming });
  return [...distinct.values()];
};

const workloadSection = (samples: readonly Sample[], workload: Workload): string => {
  const of = new Samples(samples, workload);
  const lanes = LANES.filter((lane) => of.has(lane));
  const name = workloadName(workload);
  if (!of.has('quipu-fleet')) {
    const rows = lanes.map((lane) => laneRow(of, lane));
    return `### ${name}\n\n${table(HEADINGS, rows)}`;
  }
  const rows = lanes.map((lane) => [...laneRow(of, lane), ...fleetCells(of, lane)]);
  return `### ${name}\n\n${table([...HEADINGS, ...FLEET_HEADINGS], rows)}`;
};

const startUpSection = (startUps: readonly StartUp[]): string => {
  const names = [...new Set(startUps.map(({ name }) => name))];
  const rows = names.map((name) => {
    const own = startUps.filter((startUp) => startUp.name === name);
    return [
      name,
      shown(median(own.map(({ startUpMs }) => startUpMs))),
      mib(median(own.map(({ rssAtReadyBytes }) => rssAtReadyBytes))),
    ];
  });
  return `### Start-up\n\n${table(['peer', 'ms to ready', 'RSS MiB at ready'], rows)}`;
};

const verdict = ({ value, target }: Figure): readonly string[] => {
  if (!target) return ['', ''];
  const { atLeast, atMost } = target;
  const bounds = [
    ...(atLeast === undefined ? [] : [`≥ ${shown(atLeast)}`]),
    ...(atMost === undefined ? [] : [`≤ ${shown(atMost)}`]),
  ];
  const met = value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
  return [bounds.join(', '), met ? 'met' : 'MISSED'];
};

const figureSection = (figures: readonly Figure[]): string => {
  const rows = figures.map((figure) => [
    figure.name,
    `${shown(figure.value)} ${figure.unit}`,
    ...verdict(figure),
  ]);
  return `### Targets\n\n${table(['figure', 'measured', 'target', ''], rows)}`;
};

export const machineLine = (machine: Machine): string =>
  `${machine.cores} x ${machine.cpuModel}, Node ${machine.node}, ` +
  `logs on ${machine.fileSystem}, servers on ${machine.serversFileSystem}, ` +
  `load average ${shown(machine.load1Before)} before and ${shown(machine.load1After)} after. ` +
  'Quote ratios.';

export const reportOf = ({ machine, startUps, samples, figures }: BenchResults): string =>
  [
    '## Bench',
    machineLine(machine),
    ...workloadsOf(samples).map((workload) => workloadSection(samples, workload)),
    ...(startUps.length > 0 ? [startUpSection(startUps)] : []),
    ...(figures.length > 0 ? [figureSection(figures)] : []),
  ].join('\n\n');
