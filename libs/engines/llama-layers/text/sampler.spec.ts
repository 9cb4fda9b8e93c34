import { describe, expect, it } from '@jest/globals';
import { sample, splitMix64 } from './sampler.js';

const logits = Float32Array.of(0, Math.log(6), Math.log(3));

describe('the sampler', () => {
  it('numbers as SplitMix64 does: the published vectors of seed 1234567', () => {
    const numbers = [1n, 2n, 3n, 4n, 5n].map((index) => splitMix64(1_234_567n, index));
    expect(numbers).toEqual([
      6_457_827_717_110_365_317n,
      3_203_168_211_198_807_973n,
      9_817_491_932_198_370_423n,
      4_593_380_528_125_082_431n,
      16_408_922_859_458_223_821n,
    ]);
  });

  it('takes the likeliest token at temperature 0', () => {
    expect(sample(logits, { temperature: 0, topP: 1, seed: 1 }, 0)).toBe(1);
  });

  it.each([
    [1, 1, [0.1, 0.6, 0.3]],
    // The square root of each weight: 1, 2.449, 1.732.
    [2, 1, [0.193, 0.4728, 0.3343]],
    // 0.6 alone does not reach 0.7, so two tokens are left.
    [1, 0.7, [0, 2 / 3, 1 / 3]],
    [1, 0.6, [0, 1, 0]],
    // At temperature 2 the likeliest has 0.4728, so all three are left; unscaled, two would be.
    [2, 0.85, [0.193, 0.4728, 0.3343]],
    // At temperature 0.5 it has 36 of 46 parts, so it alone is left; unscaled, two would be.
    [0.5, 0.75, [0, 1, 0]],
  ])('draws by the probabilities: temperature %d, top_p %d', (temperature, topP, shares) => {
    const counts = [0, 0, 0];
    const draws = 20_000;
    for (let position = 0; position < draws; position += 1) {
      const id = sample(logits, { temperature, topP, seed: 5 }, position);
      counts[id] = (counts[id] ?? 0) + 1;
    }
    // Four standard deviations of the widest share.
    counts.forEach((count, id) => {
      expect(Math.abs(count / draws - (shares[id] ?? 0))).toBeLessThan(0.0142);
    });
  });

  it('draws the same token again for the same seed and position', () => {
    const drawn = (seed: number) =>
      Array.from({ length: 64 }, (_, at) => sample(logits, { temperature: 1, topP: 1, seed }, at));
    expect(drawn(3)).toEqual(drawn(3));
    expect(drawn(4)).not.toEqual(drawn(3));
  });
});
