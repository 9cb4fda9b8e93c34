import { describe, expect, it } from '@jest/globals';
import { type WorkerRigDocument } from '#projections/fleet/worker-rigs.projection.js';
import { DownRigs } from './down-rigs.js';
import { type RigFault } from './rig-faults.port.js';

const START = Date.parse('2026-11-26T06:00:00.000Z');
const MINUTE_MS = 60_000;
const at = (minutes: number): string => new Date(START + minutes * MINUTE_MS).toISOString();
const settings = { pollMs: 1, rigDownMs: 5 * MINUTE_MS };
const { signal } = new AbortController();

/** Looks of one process, some minutes after the start, with the faults of each look. */
const looksOf = async (
  looks: readonly (readonly [minutes: number, ...faults: readonly RigFault[]])[],
  workers: readonly {
    readonly rig: string;
    readonly presence: string;
    readonly changedAt: string;
  }[] = [],
) => {
  let minute = 0;
  let faults: readonly RigFault[] = [];
  const documents = workers.map((rig) => ({
    key: rig.rig,
    document: { rig } as unknown as WorkerRigDocument,
  }));
  const projections = { list: () => Promise.resolve({ documents, position: 0n }) } as never;
  const clock = { now: () => START + minute * MINUTE_MS };
  const down = new DownRigs({ now: () => Promise.resolve(faults) }, projections, clock, settings);
  const found = [];
  for (const [minutes, ...seen] of looks) {
    [minute, faults] = [minutes, seen];
    found.push(await down.look(signal));
  }
  return found;
};

const open: RigFault = { rig: 'rack', cause: 'breaker_open' };
const silent: RigFault = { rig: 'rack', cause: 'unreachable' };
const rack = { kind: 'rig_down', rig: 'rack', downSince: at(0) };

describe('a rig', () => {
  it('is down after five minutes of faults, whatever their cause', async () => {
    expect(
      await looksOf([
        [0, open],
        [4, open],
        [5, silent],
        [9, open],
      ]),
    ).toEqual([[], [], [{ ...rack, cause: 'unreachable' }], [{ ...rack, cause: 'breaker_open' }]]);
  });

  it('counts again after it was up', async () => {
    expect(await looksOf([[0, open], [4], [5, open], [9, open], [10, open]])).toEqual([
      [],
      [],
      [],
      [],
      [{ ...rack, cause: 'breaker_open', downSince: at(5) }],
    ]);
  });

  it('of a worker is down five minutes after it was lost, and for a day', async () => {
    const workers = [
      { rig: 'press', presence: 'lost', changedAt: at(0) },
      { rig: 'up', presence: 'up', changedAt: at(0) },
      { rig: 'gone', presence: 'stopped', changedAt: at(0) },
    ];
    const press = { kind: 'rig_down', rig: 'press', cause: 'lost', downSince: at(0) };
    expect(await looksOf([[4], [5], [24 * 60], [24 * 60 + 1]], workers)).toEqual([
      [],
      [press],
      [press],
      [],
    ]);
  });
});
