import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chiSquare, chiSquareMax } from './chi-square.fixture.js';
import {
  acceptanceOf,
  type Distribution,
  randomFrom,
  residualOf,
  sampleFrom,
  tokensPerCall,
  verifyDrafts,
} from './rejection-sampling.js';

const of = (...probabilities: number[]): Distribution => new Map(probabilities.entries());

const P = of(0.3, 0.2, 0.15, 0.1, 0.1, 0.08, 0.05, 0.02);
const Q = of(0.05, 0.1, 0.3, 0.2, 0.05, 0.05, 0.05, 0.2);
const DRAWS = 40_000;

const weights = fc
  .array(fc.integer({ min: 0, max: 1_000 }), { minLength: 6, maxLength: 6 })
  .filter((list) => list.some((weight) => weight > 0));
const distributions = weights.map((list) => {
  const total = list.reduce((sum, weight) => sum + weight, 0);
  return of(...list.map((weight) => weight / total));
});

/** One drafted token, and the first token that comes of it. */
const draw = (
  p: Distribution,
  q: Distribution,
  random: () => number,
): { readonly token: number; readonly accepted: number } => {
  const token = sampleFrom(q, random);
  const { accepted, next } = verifyDrafts([{ token, distribution: q }], [p, p], random);
  return { token: accepted === 1 ? token : next, accepted };
};

const countsOf = (tokens: Iterable<number>): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
};

describe('rejection sampling', () => {
  it('accepts a part of the drafts that is the overlap of both distributions', () => {
    const random = randomFrom(1);
    let accepted = 0;
    for (let index = 0; index < DRAWS; index += 1) accepted += draw(P, Q, random).accepted;
    // 0.05 + 0.1 + 0.15 + 0.1 + 0.05 + 0.05 + 0.05 + 0.02
    expect(acceptanceOf(P, Q)).toBeCloseTo(0.57, 12);
    const deviation = Math.sqrt((0.57 * 0.43) / DRAWS);
    expect(Math.abs(accepted / DRAWS - 0.57)).toBeLessThan(4.5 * deviation);
  });

  it('draws as the target does, whatever drafted', () => {
    const random = randomFrom(2);
    const tokens = Array.from({ length: DRAWS }, () => draw(P, Q, random).token);
    const { statistic, freedom } = chiSquare(countsOf(tokens), P);
    expect(freedom).toBe(7);
    expect(statistic).toBeLessThan(chiSquareMax(freedom));
  });

  it('differs from a sampler that draws rejected tokens from the target itself', () => {
    const random = randomFrom(2);
    const tokens = Array.from({ length: DRAWS }, () => {
      const token = sampleFrom(Q, random);
      const isAccepted = random() * (Q.get(token) ?? 0) < (P.get(token) ?? 0);
      return isAccepted ? token : sampleFrom(P, random);
    });
    const { statistic, freedom } = chiSquare(countsOf(tokens), P);
    expect(statistic).toBeGreaterThan(10 * chiSquareMax(freedom));
  });

  it('gives p as the mixture of the accepted tokens and of the residual', () => {
    fc.assert(
      fc.property(distributions, distributions, (p, q) => {
        const residual = residualOf(p, q);
        const alpha = acceptanceOf(p, q);
        for (const [token, probability] of p) {
          const mixed =
            Math.min(probability, q.get(token) ?? 0) + (1 - alpha) * (residual.get(token) ?? 0);
          expect(mixed).toBeCloseTo(probability, 9);
        }
      }),
    );
  });

  it('keeps every draft and adds the bonus token where both are equal', () => {
    const random = randomFrom(3);
    const drafts = [3, 1, 2].map((token) => ({ token, distribution: P }));
    const bonus = of(0, 0, 0, 0, 1);
    expect(verifyDrafts(drafts, [P, P, P, bonus], random)).toEqual({ accepted: 3, next: 4 });
  });

  it('stops at the first draft that the target does not have, and draws another', () => {
    const one = (token: number): Distribution => new Map([[token, 1]]);
    const drafts = [5, 6, 7].map((token) => ({ token, distribution: one(token) }));
    const targets = [one(5), one(9), one(7), one(8)];
    expect(verifyDrafts(drafts, targets, randomFrom(4))).toEqual({ accepted: 1, next: 9 });
  });

  it('gives the tokens of a call that Leviathan et al. state', () => {
    expect(tokensPerCall(0.8, 5)).toBeCloseTo(3.68928, 5);
    expect(tokensPerCall(1, 5)).toBe(6);
    expect(tokensPerCall(0, 5)).toBe(1);
  });

  it('never draws what has no probability', () => {
    fc.assert(
      fc.property(distributions, fc.integer(), (distribution, seed) => {
        expect(distribution.get(sampleFrom(distribution, randomFrom(seed)))).toBeGreaterThan(0);
      }),
    );
    expect(() => sampleFrom(new Map(), randomFrom(1))).toThrow(RangeError);
  });
});
