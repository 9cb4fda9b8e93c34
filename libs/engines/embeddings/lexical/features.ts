/**
 * The features of a text: its words, and the character n-grams of 3 to 6 inside each word, hashed
 * into buckets. Only the characters of the text count, so everything made from it is lexical.
 */

/** Of the matrix that the features are projected with. A power of two. */
export const BUCKETS = 16_384;
export const NGRAM_MIN = 3;
export const NGRAM_MAX = 6;
/** A longer run of letters, such as base64, is read to here. */
export const WORD_UNITS_MAX = 64;

const BUCKET_SHIFT = 32 - Math.log2(BUCKETS);

/** How often each bucket occurs; buckets in ascending order, so that sums have one order. */
export interface Features {
  readonly buckets: Uint16Array;
  readonly counts: Float32Array;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Compatibility forms are one form, and case does not count. */
export const wordsOf = (text: string): readonly string[] =>
  text.normalize('NFKC').toLowerCase().match(WORD) ?? [];

/** Spreads the bits of a 32-bit number over all of them: the finalizer of MurmurHash3. */
export const mixed = (hash: number): number => {
  let mixing = hash ^ (hash >>> 16);
  mixing = Math.imul(mixing, 0x85ebca6b);
  mixing ^= mixing >>> 13;
  mixing = Math.imul(mixing, 0xc2b2ae35);
  return (mixing ^ (mixing >>> 16)) >>> 0;
};

const FNV_PRIME = 0x01000193;
/** FNV-1a's start for n-grams; words start elsewhere, so that `cat` is not its own 3-gram. */
const NGRAM_START = 0x811c9dc5;
const WORD_START = 0x2f0b4c47;

/** FNV-1a over UTF-16 units, then mixed: the low bits of FNV alone are poor. */
const bucketOf = (units: string, from: number, to: number, start: number): number => {
  let hash = start;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ units.charCodeAt(at), FNV_PRIME);
  return mixed(hash) >>> BUCKET_SHIFT;
};

/** The buckets of a text, with repeats, in the order of the text. */
const bucketsOf = (text: string): readonly number[] => {
  const buckets: number[] = [];
  for (const word of wordsOf(text)) {
    const units = `<${word.slice(0, WORD_UNITS_MAX)}>`;
    buckets.push(bucketOf(units, 1, units.length - 1, WORD_START));
    for (let size = NGRAM_MIN; size <= NGRAM_MAX; size += 1) {
      for (let from = 0; from + size <= units.length; from += 1) {
        buckets.push(bucketOf(units, from, from + size, NGRAM_START));
      }
    }
  }
  return buckets;
};

export const featuresOf = (text: string): Features => {
  const counts = new Map<number, number>();
  for (const bucket of bucketsOf(text)) counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  const buckets = Uint16Array.from(counts.keys()).sort();
  return { buckets, counts: Float32Array.from(buckets, (bucket) => counts.get(bucket) ?? 0) };
};

/** Sub-linear term frequency: the tenth occurrence says less than the first. */
export const termWeight = (count: number): number => 1 + Math.log(count);
