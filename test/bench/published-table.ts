import { type LaneName } from './lanes.js';
import { type Machine } from './machine.js';
import { machineLine, mib, shown, table } from './report.js';
import { bestOf, largestOf, p99Within, type Rung, withoutStall } from './rung-search.js';
import { type Samples } from './sample.js';
import { LANE_NAMES } from './targets.js';

/** Tails that readers accept, in milliseconds. */
export const P99_BOUNDS_MS = [1, 5, 10, 50, 100] as const;

/** When the price of an answer is safe, in the configuration that was measured. */
export type Accounting = 'durable before the answer' | 'asynchronous' | 'off';

export const ACCOUNTING: Readonly<Record<LaneName, Accounting>> = {
  mock: 'off',
  bare: 'off',
  floor: 'durable before the answer',
  portkey: 'off',
  litellm: 'off',
  quipu: 'durable before the answer',
  'quipu-hot': 'durable before the answer',
  'quipu-fleet': 'durable before the answer',
};

export interface PublishedPeer {
  readonly lane: LaneName;
  readonly version: string;
  /** Loads that were tried with whole answers, and with paced streams. */
  readonly whole: readonly Rung[];
  readonly streams: readonly Rung[];
}

export interface Publication {
  readonly machine: Machine;
  readonly command: string;
  readonly date: string;
  readonly paceMs: number;
  /** One connection, and the load at which CPU and memory are read. */
  readonly alone: Samples;
  readonly loaded: Samples;
  readonly peers: readonly PublishedPeer[];
}

const HEADINGS = [
  'peer',
  'version',
  'accounting',
  'added ms, p50',
  'added ms, p99',
  ...P99_BOUNDS_MS.map((bound) => `req/s, p99 ≤ ${bound} ms`),
  'streams without a stall',
  'CPU µs/req',
  'RSS MiB',
];

/** The peer's less the upstream's own, which is asked in the same rounds. */
const added = (alone: Samples, lane: LaneName, measure: 'p50Ms' | 'p99Ms'): string =>
  lane === 'mock' || !alone.has('mock')
    ? '-'
    : shown(alone.median(lane, measure) - alone.median('mock', measure));

const bestCell = (rungs: readonly Rung[], boundMs: number): string => {
  const best = bestOf(rungs, p99Within(boundMs));
  return best ? `${shown(best.requestsPerSecond)} (${best.connections})` : '-';
};

const row = (peer: PublishedPeer, { alone, loaded }: Publication): readonly string[] => {
  const { lane, version, whole, streams } = peer;
  return [
    LANE_NAMES[lane],
    version,
    ACCOUNTING[lane],
    added(alone, lane, 'p50Ms'),
    added(alone, lane, 'p99Ms'),
    ...P99_BOUNDS_MS.map((bound) => bestCell(whole, bound)),
    String(largestOf(streams, withoutStall)?.connections ?? '-'),
    shown(loaded.median(lane, 'cpuMicrosPerRequest')),
    mib(loaded.median(lane, 'rssBytes')),
  ];
};

/** The page that is published: the table, and the conditions under which it is true. */
export const publishedPage = (publication: Publication): string => {
  const { machine, command, date, loaded, paceMs, peers } = publication;
  const { connections } = loaded.workload;
  const notes = [
    'Accounting is what the measured configuration does. `durable before the answer`: the price ' +
      'of an answer is on the disk before the answer ends, so a power cut loses no charge; ' +
      '`asynchronous`: it is written later; `off`: the peer keeps no books.',
    'Added latency is the latency of one connection, less the latency of the upstream itself. In ' +
      'brackets: the connections, one request at a time on each, that gave the most requests a ' +
      'second within the bound.',
    `Streams have ${paceMs} ms between two chunks; a stream that pauses for ten times as long ` +
      'has stalled. CPU time, of the whole process tree, and memory are read at ' +
      `${connections} connections.`,
    'The generator and the upstream share the machine with the peer. `-`: not reached, or not ' +
      'measured.',
  ];
  return `${[
    '# Gateways, with and without books',
    `${date}: \`${command}\``,
    machineLine(machine),
    table(
      HEADINGS,
      peers.map((peer) => row(peer, publication)),
    ),
    ...notes,
  ].join('\n\n')}\n`;
};
