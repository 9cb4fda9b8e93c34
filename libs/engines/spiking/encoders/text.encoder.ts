/** How the networks read a string: as a sequence of bytes, or as one vector of its trigrams. */

/** Length of the vector of trigrams. */
export const TRIGRAM_DIMENSIONS = 256;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** UTF-8 bytes, cut at `lengthMax`. A character may be cut in the middle. */
export const utf8Bytes = (text: string, lengthMax: number): Uint8Array =>
  new TextEncoder().encode(text).subarray(0, lengthMax);

const fnv1a = (bytes: Uint8Array): number =>
  bytes.reduce((hash, byte) => Math.imul(hash ^ byte, FNV_PRIME), FNV_OFFSET) >>> 0;

/**
 * Counts of hashed trigrams of the lower-cased text between two spaces, scaled to length 1. Equal
 * texts give equal vectors; runs of white space count as one space.
 *
 * The highest bit of a hash decides the sign, so that collisions cancel on average (Weinberger et
 * al., "Feature hashing for large scale multitask learning", 2009). An empty text gives zeros.
 */
export const trigramVector = (text: string, dimensions = TRIGRAM_DIMENSIONS): Float32Array => {
  const vector = new Float32Array(dimensions);
  const words = text.toLowerCase().trim().replaceAll(/\s+/g, ' ');
  if (words === '') return vector;
  const bytes = new TextEncoder().encode(` ${words} `);
  for (let start = 0; start + 3 <= bytes.length; start += 1) {
    const hash = fnv1a(bytes.subarray(start, start + 3));
    const slot = hash % dimensions;
    vector[slot] = (vector[slot] ?? 0) + (hash >>> 31 === 1 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
};

/** Length of the vector of one slice of a text. */
export const SLICE_DIMENSIONS = 128;

/**
 * The UTF-8 bytes of a text in `steps` slices of equal length, each as the set of the hashed
 * trigrams that start in it: `[steps, SLICE_DIMENSIONS]` of 0 and 1. Ignores case and runs of white
 * space.
 */
export const trigramSlices = (text: string, steps: number): Float32Array => {
  const slices = new Float32Array(steps * SLICE_DIMENSIONS);
  const words = text.toLowerCase().trim().replaceAll(/\s+/g, ' ');
  const bytes = new TextEncoder().encode(` ${words} `);
  const starts = bytes.length - 2;
  for (let start = 0; start < starts; start += 1) {
    const slot = fnv1a(bytes.subarray(start, start + 3)) % SLICE_DIMENSIONS;
    slices[Math.floor((start * steps) / starts) * SLICE_DIMENSIONS + slot] = 1;
  }
  return slices;
};
