/** Draws tokens from logits. Stateless: a draw depends on the seed and the position alone. */
export interface Sampling {
  /** 0 always takes the likeliest token. */
  readonly temperature: number;
  /** Share of the probability, behind the temperature, that is drawn from; 1 is all of it. */
  readonly topP: number;
  readonly seed: number;
}

const GOLDEN = 0x9e3779b97f4a7c15n;
const MASK = (1n << 64n) - 1n;

/** The `index`-th number of SplitMix64, from 1, as 64 bits. Any of them costs the same. */
export const splitMix64 = (seed: bigint, index: bigint): bigint => {
  let z = (seed + index * GOLDEN) & MASK;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return z ^ (z >> 31n);
};

/** In [0, 1), with 53 bits. */
const uniform = (seed: number, position: number): number =>
  Number(splitMix64(BigInt(seed) & MASK, BigInt(position) + 1n) >> 11n) / 2 ** 53;

const likeliest = (logits: Float32Array): number => {
  let best = 0;
  for (let id = 1; id < logits.length; id += 1) {
    if ((logits[id] ?? -Infinity) > (logits[best] ?? -Infinity)) best = id;
  }
  return best;
};

/** @param position of the token to draw, from 0: the same one draws the same token again */
export const sample = (logits: Float32Array, sampling: Sampling, position: number): number => {
  const { temperature, topP, seed } = sampling;
  if (temperature === 0) return likeliest(logits);
  const kept = nucleus(logits, temperature, topP);
  let left = uniform(seed, position) * kept.reduce((sum, { weight }) => sum + weight, 0);
  const drawn = kept.find(({ weight }) => (left -= weight) < 0) ?? kept.at(-1);
  return drawn?.id ?? 0;
};

interface Weighted {
  readonly id: number;
  readonly weight: number;
}

/**
 * The likeliest ids whose probabilities, scaled by the temperature, reach `topP`: at least one, the
 * likeliest first.
 */
const nucleus = (logits: Float32Array, temperature: number, topP: number): readonly Weighted[] => {
  const highest = logits[likeliest(logits)] ?? 0;
  const weighted = Array.from(logits, (logit, id) => ({
    id,
    weight: Math.exp((logit - highest) / temperature),
  }));
  weighted.sort((one, other) => other.weight - one.weight);
  if (topP >= 1) return weighted;
  const wanted = topP * weighted.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const last = weighted.findIndex(({ weight }) => (sum += weight) >= wanted);
  return last === -1 ? weighted : weighted.slice(0, last + 1);
};
