/** The pictures of 8x8 pixels that the Hopfield network stores. */

/** Rows of 8 bits in hexadecimal, the leftmost pixel first. */
const ROWS: Readonly<Record<string, string>> = {
  A: '183c66c3ffffc3c3',
  C: '3e7fc1c0c0c17f3e',
  H: 'c3c3c3ffffc3c3c3',
  T: 'ffff181818181818',
  X: 'c3e77e3c3c7ee7c3',
  Z: 'ffff0e1c3870ffff',
  'left-arrow': '103070ffff703010',
  'chess-board': 'cccc3333cccc3333',
};

export const GLYPH_NAMES: readonly string[] = Object.keys(ROWS);

export const GLYPH_PIXELS = 64;

/** +1 where the pixel is set, -1 elsewhere: 64 per glyph, in the order of the names. */
export const GLYPHS: readonly Float32Array[] = Object.values(ROWS).map((rows) => {
  const bits = BigInt(`0x${rows}`).toString(2).padStart(GLYPH_PIXELS, '0');
  return Float32Array.from(bits, (bit) => (bit === '1' ? 1 : -1));
});
