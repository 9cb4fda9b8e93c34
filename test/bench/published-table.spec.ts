import { describe, expect, it } from '@jest/globals';
import { type LaneName } from './lanes.js';
import { publishedPage } from './published-table.js';
import { type Rung } from './rung-search.js';
import { type Sample, Samples } from './sample.js';

const ALONE = { connections: 1, streaming: false };
const LOADED = { connections: 50, streaming: false };

const sample = (lane: LaneName, more: Partial<Sample>): Sample => ({
  ...ALONE,
  lane,
  round: 1,
  requests: 1,
  requestsPerSecond: 1,
  p50Ms: 1,
  p99Ms: 2,
  cpuMicrosPerRequest: 100,
  cpuMicrosPerRequestInAll: 100,
  rssBytes: 50 * 2 ** 20,
  stalled: 0,
  failures: 0,
  answered: 1,
  firstFailure: null,
  lagPositions: Number.NaN,
  lagMs: Number.NaN,
  catchUpMs: Number.NaN,
  ...more,
});

const rung = (
  connections: number,
  requestsPerSecond: number,
  p99Ms: number,
  stalled = 0,
): Rung => ({
  connections,
  requestsPerSecond,
  p99Ms,
  stalled,
  failures: 0,
});

const samples = [
  sample('mock', { p50Ms: 0.2, p99Ms: 0.5 }),
  sample('quipu', { p50Ms: 1.7, p99Ms: 3.5 }),
  sample('mock', { ...LOADED }),
  sample('quipu', { ...LOADED, cpuMicrosPerRequest: 420, rssBytes: 240 * 2 ** 20 }),
];

const page = publishedPage({
  machine: {
    cpuModel: 'Example 9000',
    cores: 2,
    node: '24.0.0',
    fileSystem: 'ext4',
    serversFileSystem: 'tmpfs',
    load1Before: 0.1,
    load1After: 2,
  },
  command: 'npm run bench -- --report',
  date: '2026-01-02',
  paceMs: 20,
  alone: new Samples(samples, ALONE),
  loaded: new Samples(samples, LOADED),
  peers: [
    { lane: 'mock', version: 'Node 24.0.0', whole: [], streams: [] },
    {
      lane: 'quipu',
      version: '0.1.0',
      whole: [rung(4, 900, 4), rung(16, 2_400, 9), rung(32, 2_500, 60)],
      streams: [rung(64, 1, 1), rung(128, 1, 1, 3)],
    },
  ],
});

const cellsOf = (peer: string): readonly string[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith(`| ${peer} |`))
    .flatMap((line) => line.split('|').map((cell) => cell.trim()))
    .slice(1, -1);

describe('the published table', () => {
  it('says when, how and on which machine it was made', () => {
    expect(page).toContain('2026-01-02: `npm run bench -- --report`');
    expect(page).toContain('2 x Example 9000, Node 24.0.0, logs on ext4');
  });

  it('has a row for each peer, in the order of the headings', () => {
    expect(cellsOf('Quipu')).toEqual([
      'Quipu',
      '0.1.0',
      'durable before the answer',
      '1.50',
      '3.00',
      '-',
      '900 (4)',
      '2,400 (16)',
      '2,400 (16)',
      '2,500 (32)',
      '64',
      '420',
      '240',
    ]);
  });

  it('shows nothing for loads that were not tried, and no added latency for the upstream', () => {
    const [, , accounting, ...figures] = cellsOf('the mock upstream');
    expect(accounting).toBe('off');
    expect(figures.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => '-'));
  });
});
