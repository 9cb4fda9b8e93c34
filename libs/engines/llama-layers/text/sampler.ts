/** Draws tokens from logits. Stateless: a draw depends on the seed and the position alone. */
export interface Sampling {
  /** 0 always takes the likeliest token. */
  readonly temperature: number;
  /** Share of the probability, before the temperature, that is drawn from; 1 is all of it. */
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
  const ids = nucleus(logits, topP);
  const highest = logits[ids[0] ?? 0] ?? 0;
  const weights = ids.map((id) => Math.exp(((logits[id] ?? -Infinity) - highest) / temperature));
  let left = uniform(seed, position) * weights.reduce((sum, weight) => sum + weight, 0);
  const drawn = weights.findIndex((weight) => (left -= weight) < 0);
  return ids[drawn === -1 ? ids.length - 1 : drawn] ?? 0;
};

/** The likeliest ids whose probabilities sum to `topP`, at least one, the likeliest first. */
const nucleus = (logits: Float32Array, topP: number): readonly number[] => {
  const highest = logits[likeliest(logits)] ?? 0;
  const weights = Float64Array.from(logits, (logit) => Math.exp(logit - highest));
  const ids = [...weights.keys()].sort((one, other) => (weights[other] ?? 0) - (weights[one] ?? 0));
  if (topP >= 1) return ids;
  const wanted = topP * weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  const kept = ids.findIndex((id) => (sum += weights[id] ?? 0) >= wanted);
  return ids.slice(0, kept === -1 ? ids.length : kept + 1);
};
