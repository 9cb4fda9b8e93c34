import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chiSquare, chiSquareMax } from './chi-square.fixture.js';
import { decodePair, type Round, type TokenModel } from './pair-decoder.js';
import * as rules from './rejection-sampling.js';
import { type Distribution, randomFrom } from './rejection-sampling.js';

const SYMBOLS = 6;
const END = 5;

/** A distribution that depends on the last two tokens, by a seed. */
const distributionOf = (seed: number, context: readonly number[], skew: number): Distribution => {
  const [last = 0, previous = 0] = context.toReversed();
  const random = randomFrom(seed * 1_000 + last * SYMBOLS + previous);
  const weights = Array.from({ length: SYMBOLS }, () => random() ** skew + 1e-3);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return new Map(weights.map((weight, token) => [token, weight / total]));
};

const likeliest = (distribution: Distribution): Distribution => {
  const [[token] = [0]] = [...distribution].sort(([, one], [, other]) => other - one);
  return new Map([[token, 1]]);
};

/** Keeps what a cache keeps, and counts its work. */
class FakeModel implements TokenModel {
  readonly #cache: number[] = [];
  evaluatedTokens = 0;
  calls = 0;

  constructor(private readonly of: (context: readonly number[]) => Distribution) {}

  get length(): number {
    return this.#cache.length;
  }

  evaluate(tokens: readonly number[], count: number): Promise<readonly Distribution[]> {
    this.calls += 1;
    this.evaluatedTokens += tokens.length;
    const all = tokens.map((token) => {
      this.#cache.push(token);
      return this.of(this.#cache);
    });
    return Promise.resolve(all.slice(all.length - count));
  }

  truncate(length: number): Promise<void> {
    this.#cache.length = length;
    return Promise.resolve();
  }
}

const PROMPT = [1, 2];

const isEndToken = (token: number): boolean => token === END;

const decode = async (
  target: FakeModel,
  draft: FakeModel,
  seed: number,
  { draftTokensMax = 4, tokensMax = 12, isEnd = isEndToken } = {},
): Promise<readonly Round[]> => {
  const rounds: Round[] = [];
  const options = { rules, random: randomFrom(seed), isEnd, draftTokensMax, tokensMax };
  for await (const round of decodePair({ target, draft }, PROMPT, options)) rounds.push(round);
  return rounds;
};

const tokensOf = (rounds: readonly Round[]): number[] => rounds.flatMap(({ tokens }) => tokens);

const seeds = fc.nat(9_999);

describe('a pair of models', () => {
  const target = (): FakeModel => new FakeModel((context) => distributionOf(1, context, 2));
  const draft = (): FakeModel => new FakeModel((context) => distributionOf(2, context, 2));

  it('samples each token as the target does, given those before it', async () => {
    const [first, second] = [new Map<number, number>(), new Map<number, number>()];
    for (let seed = 0; seed < 6_000; seed += 1) {
      const options = { tokensMax: 4, isEnd: () => false };
      const [one = -1, two = -1] = tokensOf(await decode(target(), draft(), seed, options));
      first.set(one, (first.get(one) ?? 0) + 1);
      const both = one * SYMBOLS + two;
      second.set(both, (second.get(both) ?? 0) + 1);
    }
    const expected = distributionOf(1, PROMPT, 2);
    const joint = new Map<number, number>();
    for (const [one, probability] of expected) {
      for (const [two, given] of distributionOf(1, [...PROMPT, one], 2)) {
        joint.set(one * SYMBOLS + two, probability * given);
      }
    }
    for (const [counts, law] of [[first, expected] as const, [second, joint] as const]) {
      const { statistic, freedom } = chiSquare(counts, law);
      expect(statistic).toBeLessThan(chiSquareMax(freedom));
    }
  });

  it('writes what the target alone would write, where both take the likeliest token', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, seeds, fc.integer({ min: 1, max: 7 }), async (one, other, steps) => {
        const greedy = (seed: number) => (context: readonly number[]) =>
          likeliest(distributionOf(seed, context, 1));
        const options = { draftTokensMax: steps };
        const pair = [new FakeModel(greedy(one)), new FakeModel(greedy(other))] as const;
        const rounds = await decode(...pair, 1, options);
        const alone = await decode(new FakeModel(greedy(one)), pair[1], 1, { draftTokensMax: 0 });
        expect(tokensOf(rounds)).toEqual(tokensOf(alone));
        expect(rounds.at(-1)?.ended).toBe(alone.at(-1)?.ended);
      }),
    );
  });

  it('evaluates each token once and never reads the text again', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.integer({ min: 1, max: 7 }), async (seed, steps) => {
        const [one, other] = [target(), draft()];
        const rounds = await decode(one, other, seed, { draftTokensMax: steps, tokensMax: 40 });
        const drafted = rounds.reduce((sum, round) => sum + round.drafted, 0);
        // The target reads the last token and the drafts; of a round nothing is read twice.
        expect(one.calls).toBe(rounds.length);
        expect(one.evaluatedTokens).toBe(PROMPT.length - 1 + rounds.length + drafted);
        // The draft reads the token that the target adds, and its own last one where it is kept.
        const kept = rounds.filter(({ drafted: count, accepted }) => count === accepted).length;
        expect(other.calls).toBe(drafted);
        expect(other.evaluatedTokens).toBeLessThanOrEqual(PROMPT.length + drafted + kept);
      }),
    );
  });

  it('never writes more than was asked for, nor the token that ends the turn', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.integer({ min: 1, max: 9 }), async (seed, tokensMax) => {
        const rounds = await decode(target(), draft(), seed, { tokensMax });
        const tokens = tokensOf(rounds);
        expect(tokens).not.toContain(END);
        expect(tokens.length).toBeLessThanOrEqual(tokensMax);
        expect(rounds.at(-1)?.ended === true || tokens.length === tokensMax).toBe(true);
        for (const { tokens: shown, drafted, accepted, ended } of rounds) {
          expect(accepted).toBeLessThanOrEqual(drafted);
          if (!ended) expect(shown).toHaveLength(accepted + 1);
        }
      }),
    );
  });

  it('accepts every draft of the same model', async () => {
    const rounds = await decode(target(), target(), 5, { tokensMax: 20, isEnd: () => false });
    expect(rounds.map(({ accepted }) => accepted)).toEqual([4, 4, 4, 4]);
    expect(tokensOf(rounds)).toHaveLength(20);
  });
});
