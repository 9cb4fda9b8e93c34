import { describe, expect, it } from '@jest/globals';
import { FuelMeter, SLICE_FUEL } from './fuel-meter.js';

const meterOf = (limit: bigint, isTimeUp = () => false) => {
  const shared = new BigInt64Array(1);
  return { meter: new FuelMeter(limit, shared, isTimeUp), shared };
};

describe('the fuel meter', () => {
  it('grants slices until the limit is spent, however far a counter was overdrawn', () => {
    const { meter, shared } = meterOf(SLICE_FUEL + 10n);
    expect(meter.initial).toBe(-SLICE_FUEL);
    expect(meter.tick(4n)).toBe(-6n);
    expect(shared[0]).toBe(SLICE_FUEL + 4n);
    expect(() => meter.tick(0n)).toThrow('out_of_fuel');
    expect(meter.spent(0n)).toBe(SLICE_FUEL + 10n);
  });

  it('never counts above the limit', () => {
    const { meter } = meterOf(10n);
    expect(meter.initial).toBe(-10n);
    expect(meter.spent(5n)).toBe(10n);
  });

  it('keeps what a tick has seen when the module saved less before', () => {
    const { meter } = meterOf(10n * SLICE_FUEL);
    meter.tick(0n);
    expect(meter.spent(-SLICE_FUEL - 5n)).toBe(SLICE_FUEL);
    expect(meter.spent(-SLICE_FUEL + 5n)).toBe(SLICE_FUEL + 5n);
  });

  it('ends a run whose time is up between two slices', () => {
    const { meter } = meterOf(10n * SLICE_FUEL, () => true);
    expect(() => meter.tick(1n)).toThrow('timed_out');
    expect(meter.spent(0n)).toBe(SLICE_FUEL + 1n);
  });
});
