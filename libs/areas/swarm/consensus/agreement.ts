/**
 * How far proposals agree. Two agree if their texts are equal without regard to case, punctuation
 * and spaces, or if the cosine of their word counts is at least `AGREEMENT_PERCENT`.
 */
export const AGREEMENT_PERCENT = 80;
export const AGREEMENT_METHOD =
  'equal text, or a cosine of word counts of at least ' + String(AGREEMENT_PERCENT / 100);

export interface Agreement {
  /** Whether each proposal belongs to the largest cluster, in the order of the proposals. */
  readonly agrees: readonly boolean[];
  /** The share of the proposals that do, 0 to 1. */
  readonly confidence: number;
}

/**
 * The largest cluster has a proposal and all that agree with it; of equally large ones, the cluster
 * of the earliest proposal.
 */
export const agreementOf = (proposals: readonly string[]): Agreement => {
  const words = proposals.map(wordsOf);
  const clusters = words.map((one) => words.map((other) => agree(one, other)));
  const sizes = clusters.map((cluster) => cluster.filter(Boolean).length);
  const largest = sizes.indexOf(Math.max(...sizes));
  const agrees = clusters[largest] ?? [];
  return { agrees, confidence: (sizes[largest] ?? 0) / Math.max(1, proposals.length) };
};

const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const agree = (one: readonly string[], other: readonly string[]): boolean =>
  one.join(' ') === other.join(' ') || cosineOf(one, other) * 100 >= AGREEMENT_PERCENT;

/** Of the counts of words: 1 for the same words in any order, 0 without a common one. */
export const cosineOf = (one: readonly string[], other: readonly string[]): number => {
  const [counts, others] = [countsOf(one), countsOf(other)];
  let product = 0;
  for (const [word, count] of counts) product += count * (others.get(word) ?? 0);
  const length = Math.sqrt(squaresOf(counts) * squaresOf(others));
  return length === 0 ? 0 : product / length;
};

const countsOf = (words: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

const squaresOf = (counts: ReadonlyMap<string, number>): number =>
  counts.values().reduce((sum, count) => sum + count * count, 0);
