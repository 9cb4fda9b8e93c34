import { describe, expect, it } from '@jest/globals';
import { energyReport } from './energy-report.js';
import { NO_COUNTS } from './run-counts.js';

/** Computed by hand from the constants of Horowitz (2014): 4.6 and 0.9 pJ, 0.23 pJ in 8 bits. */
describe('the energy report', () => {
  const report = (macs: number, acs: number, annMacs: number, grid = 480) =>
    energyReport({ ...NO_COUNTS, macs, acs, annMacs }, grid);

  it('compares with 32-bit floats', () => {
    const { fp32, savedGramsCo2e } = report(0, 1_000_000, 1_000_000);
    expect(fp32.joules).toBeCloseTo(0.9e-6, 15);
    expect(fp32.baselineJoules).toBeCloseTo(4.6e-6, 15);
    expect(fp32.reductionPct).toBeCloseTo(80.435, 3);
    expect(fp32.savingsRatio).toBe('5.11x');
    expect(savedGramsCo2e).toBeCloseTo((3.7e-6 / 3.6e6) * 480, 20);
  });

  it('returns negative savings as they are', () => {
    const { fp32, int8, savedGramsCo2e } = report(1_000, 10_000, 1_000);
    expect(fp32.savedJoules).toBeCloseTo(-9e-9, 18);
    expect(fp32.reductionPct).toBeLessThan(0);
    expect(savedGramsCo2e).toBeLessThan(0);
    expect(int8.reductionPct).toBeLessThan(fp32.reductionPct);
  });

  it('gives half the energy of accumulates for half of them', () => {
    const [whole, half] = [report(0, 2_000, 1), report(0, 1_000, 1)];
    expect(whole.fp32.joules).toBeCloseTo(2 * half.fp32.joules, 25);
  });

  it('scales carbon with the grid alone', () => {
    const [one, other] = [report(5, 5, 50, 100), report(5, 5, 50, 300)];
    expect(other.savedGramsCo2e).toBeCloseTo(3 * one.savedGramsCo2e, 25);
    expect(other.fp32).toEqual(one.fp32);
  });
});
