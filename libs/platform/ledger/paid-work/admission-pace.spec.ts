import { describe, expect, it } from '@jest/globals';
import { AdmissionPace } from './admission-pace.js';

const LIMIT_MS = 5_000;

const open = () => {
  const pace = new AdmissionPace(LIMIT_MS);
  const look = (lagMs: number, times: number): void => {
    for (let time = 0; time < times; time += 1) pace.look(lagMs);
  };
  const admittedOf = (count: number): number =>
    Array.from({ length: count }, () => pace.admits()).filter(Boolean).length;
  return { look, admittedOf };
};

describe('the pace of admission', () => {
  it('admits everything while the readers are near', () => {
    const { look, admittedOf } = open();
    look(LIMIT_MS, 100);
    expect(admittedOf(100)).toBe(100);
  });

  it('admits fewer and fewer while the readers fall behind, and never none', () => {
    const { look, admittedOf } = open();
    look(LIMIT_MS + 1, 2);
    expect(admittedOf(100)).toBeCloseTo(90, -1);
    look(LIMIT_MS + 1, 6);
    expect(admittedOf(100)).toBeLessThan(50);
    look(60_000, 1_000);
    expect(admittedOf(100)).toBe(5);
  });

  it('admits everything while the readers catch up after a start', () => {
    const { look, admittedOf } = open();
    for (const lagMs of [3_600_000, 1_800_000, 20_000]) {
      look(lagMs, 1);
      expect(admittedOf(100)).toBe(100);
    }
  });

  it('stays as it is while the readers catch up', () => {
    const { look, admittedOf } = open();
    look(20_000, 7);
    const admitted = admittedOf(100);
    for (let lagMs = 19_000; lagMs > LIMIT_MS; lagMs -= 1_000) look(lagMs, 1);
    expect(admittedOf(100)).toBeCloseTo(admitted, -1);
  });

  it('recovers by itself', () => {
    const { look, admittedOf } = open();
    look(60_000, 1_000);
    look(LIMIT_MS, 30);
    expect(admittedOf(100)).toBe(100);
  });
});
