import { describe, expect, it } from '@jest/globals';
import { FaultyReadStore } from '../faulty-stores.fake.js';
import { type SnapshotPlan, Snapshots } from './snapshots.js';

interface Counted {
  readonly pieces: number;
}

const plan: SnapshotPlan<Counted> = {
  version: 1,
  every: 10,
  toJson: (state) => state,
  fromJson: (json) => json as Counted,
};

const taken = (pieces: number, position: bigint) => ({
  revision: position,
  position,
  eventId: `event-${position}`,
  state: { pieces },
});

describe('a snapshot', () => {
  it('is loaded as it was saved', async () => {
    const snapshots = new Snapshots(new FaultyReadStore());
    await snapshots.save('warehouse-a', plan, taken(3, 7n));
    expect(await snapshots.load('warehouse-a', plan)).toEqual(taken(3, 7n));
    expect(await snapshots.load('warehouse-b', plan)).toBeUndefined();
  });

  it('of another version is not seen: its state may mean something else', async () => {
    const snapshots = new Snapshots(new FaultyReadStore());
    const next = { ...plan, version: 2 };
    await snapshots.save('warehouse-a', plan, taken(3, 7n));
    expect(await snapshots.load('warehouse-a', next)).toBeUndefined();
    await snapshots.save('warehouse-a', next, taken(4, 9n));
    expect(await snapshots.load('warehouse-a', plan)).toEqual(taken(3, 7n));
    expect(await snapshots.load('warehouse-a', next)).toEqual(taken(4, 9n));
  });

  it('is not replaced by an older one that comes late', async () => {
    const snapshots = new Snapshots(new FaultyReadStore());
    await snapshots.save('warehouse-a', plan, taken(4, 9n));
    await snapshots.save('warehouse-a', plan, taken(3, 7n));
    expect(await snapshots.load('warehouse-a', plan)).toEqual(taken(4, 9n));
  });
});
