import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PartitionOffsets } from './partition-offsets.js';

describe('the offsets of a partition', () => {
  it('commit nothing before anything was taken', () => {
    expect(new PartitionOffsets().committable).toBeNull();
  });

  it('never pass what is not done, and pass gaps', () => {
    const offsets = new PartitionOffsets();
    expect([5n, 6n, 9n].map((offset) => offsets.take(offset))).toEqual([true, true, true]);
    expect(offsets.committable).toBe(5n);
    offsets.finish(6n);
    offsets.finish(9n);
    expect([offsets.committable, offsets.open]).toEqual([5n, 3]);
    offsets.finish(5n);
    expect([offsets.committable, offsets.open]).toEqual([10n, 0]);
  });

  it('know what comes again', () => {
    const offsets = new PartitionOffsets();
    offsets.take(5n);
    offsets.finish(5n);
    expect([offsets.take(5n), offsets.take(4n), offsets.take(6n)]).toEqual([false, false, true]);
  });

  it('commit the first that is not done, in whatever order they are finished', () => {
    const order = fc.uniqueArray(fc.integer({ min: 0, max: 29 }), { maxLength: 30 });
    fc.assert(
      fc.property(order, (finished) => {
        const offsets = new PartitionOffsets();
        for (let offset = 0n; offset < 30n; offset += 1n) offsets.take(offset);
        const done = new Set<number>();
        for (const offset of finished) {
          offsets.finish(BigInt(offset));
          done.add(offset);
          let first = 0;
          while (done.has(first)) first += 1;
          expect(offsets.committable).toBe(BigInt(first));
        }
      }),
      { seed: 20_261_121 },
    );
  });
});
