/**
 * Exact speculative sampling (Leviathan et al., arXiv 2211.17192; Chen et al., arXiv 2302.01318):
 * tokens drafted from q are accepted so that what comes out is distributed as p. Pure; the child
 * process loads it, so it imports nothing.
 */

/** Probability by token. Sums to 1 up to rounding; an absent token has probability 0. */
export type Distribution = ReadonlyMap<number, number>;

/** Uniform in [0, 1). */
export type Random = () => number;

/** A token and the distribution q that it was drawn from. */
export interface Drafted {
  readonly token: number;
  readonly distribution: Distribution;
}

export interface Verdict {
  /** How many drafted tokens were accepted, from the first on. */
  readonly accepted: number;
  /** The token that follows them: from the residual after a rejection, else the bonus token. */
  readonly next: number;
}

/** Mulberry32 (Tommy Ettinger, public domain): the same seed draws the same sequence. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** The likeliest tokens whose probabilities reach `topP`, at least one, with a sum of 1. */
export const nucleusOf = (distribution: Distribution, topP: number): Distribution => {
  if (topP >= 1) return distribution;
  const kept = new Map<number, number>();
  let total = 0;
  for (const [token, probability] of [...distribution].sort(([, one], [, other]) => other - one)) {
    kept.set(token, probability);
    total += probability;
    if (total >= topP) break;
  }
  for (const [token, probability] of kept) kept.set(token, probability / total);
  return kept;
};

/** One token of a distribution, by inversion. */
export const sampleFrom = (distribution: Distribution, random: Random): number => {
  let total = 0;
  for (const probability of distribution.values()) total += probability;
  let left = random() * total;
  let last = -1;
  for (const [token, probability] of distribution) {
    if (probability <= 0) continue;
    last = token;
    left -= probability;
    if (left < 0) return token;
  }
  // Rounding may leave a little behind the last token.
  if (last === -1) throw new RangeError('a distribution without a token');
  return last;
};

/** `max(0, p - q)` over its sum; p where that is nothing, as when both are equal. */
export const residualOf = (p: Distribution, q: Distribution): Distribution => {
  const rest = new Map<number, number>();
  let total = 0;
  for (const [token, probability] of p) {
    const excess = probability - (q.get(token) ?? 0);
    if (excess <= 0) continue;
    rest.set(token, excess);
    total += excess;
  }
  if (total <= 0) return p;
  for (const [token, excess] of rest) rest.set(token, excess / total);
  return rest;
};

/**
 * Accepts each drafted token with probability `min(1, p / q)` until one is rejected.
 * @param targets p after each position: one for every drafted token and one behind the last
 */
export const verifyDrafts = (
  drafts: readonly Drafted[],
  targets: readonly Distribution[],
  random: Random,
): Verdict => {
  for (const [index, { token, distribution: q }] of drafts.entries()) {
    const p = distributionAt(targets, index);
    const [wanted, drafted] = [p.get(token) ?? 0, q.get(token) ?? 0];
    if (random() * drafted < wanted) continue;
    return { accepted: index, next: sampleFrom(residualOf(p, q), random) };
  }
  const bonus = distributionAt(targets, drafts.length);
  return { accepted: drafts.length, next: sampleFrom(bonus, random) };
};

const distributionAt = (targets: readonly Distribution[], index: number): Distribution => {
  const found = targets[index];
  if (found === undefined) throw new RangeError(`no distribution of the target at ${index}`);
  return found;
};

/** The probability that a token drafted from q is accepted: the sum of `min(p, q)`. */
export const acceptanceOf = (p: Distribution, q: Distribution): number => {
  let sum = 0;
  for (const [token, probability] of p) sum += Math.min(probability, q.get(token) ?? 0);
  return sum;
};

/**
 * The mean of the tokens that one evaluation of the target gives, bonus included, where every draft
 * is accepted with probability `acceptance` (Leviathan et al., equation 1).
 */
export const tokensPerCall = (acceptance: number, drafted: number): number =>
  acceptance === 1 ? drafted + 1 : (1 - acceptance ** (drafted + 1)) / (1 - acceptance);
