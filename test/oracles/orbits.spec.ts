/** Vallado's verification set, the C++ code of SGP4, and Skyfield against the engine. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Satellite } from '#engines/orbits/satellite.js';
import { epochMsOf } from '#engines/orbits/elements.js';
import { comparePasses, type RecordedPasses } from '../../tools/oracles/orbit-passes.js';

interface RecordedStates {
  readonly line1: string;
  readonly line2: string;
  /** Minutes since the epoch, kilometres, kilometres per second. */
  readonly states: readonly (readonly number[])[];
}

const { published, propagated, passes } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'orbits/vectors.json'), 'utf8'),
) as {
  readonly published: readonly RecordedStates[];
  readonly propagated: readonly RecordedStates[];
  readonly passes: readonly RecordedPasses[];
};

/** The furthest that a coordinate lies apart, in kilometres or kilometres per second. */
const furthest = ({ line1, line2, states }: RecordedStates): number => {
  const elements = { format: 'tle', line1, line2 } as const;
  const satellite = new Satellite(elements);
  const epochMs = epochMsOf(elements);
  const apart = states.map(([minutes = NaN, ...expected]) => {
    const { position, velocity } = satellite.at(epochMs + minutes * 60_000);
    const own = [position.x, position.y, position.z, velocity.x, velocity.y, velocity.z];
    return Math.max(...own.map((value, at) => Math.abs(value - (expected[at] ?? NaN))));
  });
  return Math.max(...apart);
};

const nameOf = ({ line1 }: RecordedStates): string => line1.slice(2, 7);

/** Made to check an error code: a mean motion of one revolution in 100,000 days. */
const isBroken = (recorded: RecordedStates): boolean => nameOf(recorded) === '33334';

describe('Vallado’s verification set', () => {
  it('has 33 sets of elements with 667 states', () => {
    expect(published).toHaveLength(33);
    expect(published.flatMap(({ states }) => states)).toHaveLength(667);
  });

  it('has the states that the engine computes', () => {
    const apart = published
      .filter((each) => !isBroken(each))
      .map((recorded) => [nameOf(recorded), furthest(recorded)] as const);
    expect(apart).toHaveLength(32);
    expect(apart.filter(([, distance]) => !(distance < 2e-7))).toEqual([]);
  });

  it('has one set of elements that only gives an error', () => {
    const broken = published.filter(isBroken);
    expect(broken).toHaveLength(1);
    for (const recorded of broken) {
      expect(() => furthest(recorded)).toThrow(
        expect.objectContaining({ code: 'elements_not_propagable' }),
      );
    }
  });
});

describe('the C++ code of SGP4', () => {
  it('has the same states a month later', () => {
    const apart = propagated.map(furthest);
    expect(apart).toHaveLength(20);
    expect(Math.max(...apart)).toBeLessThan(1e-4);
  });
});

describe('Skyfield', () => {
  it('has the same passes of 30 days within a second', async () => {
    const { compared, missing, ...apart } = await comparePasses(passes);
    expect(missing).toEqual([]);
    expect(compared).toBeGreaterThan(1_000);
    expect(apart.secondsApart).toBeLessThan(1);
    expect(apart.topSecondsApart).toBeLessThan(1);
    expect(apart.degreesApart).toBeLessThan(0.01);
    expect(apart.kilometresApart).toBeLessThan(1);
  });
});
