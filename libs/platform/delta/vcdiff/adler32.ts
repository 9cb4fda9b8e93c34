const BASE = 65_521;
/** So many bytes fit before the sums need the modulus. */
const BLOCK = 3_800;

/** Adler-32 of RFC 1950, as xdelta3 adds it to each window. */
export const adler32 = (bytes: Uint8Array): number => {
  let low = 1;
  let high = 0;
  for (let start = 0; start < bytes.length; start += BLOCK) {
    const end = Math.min(start + BLOCK, bytes.length);
    for (let index = start; index < end; index += 1) {
      low += bytes[index] ?? 0;
      high += low;
    }
    low %= BASE;
    high %= BASE;
  }
  return high * 65_536 + low;
};
