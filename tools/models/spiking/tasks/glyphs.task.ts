/** Eight stored pictures, of which a corrupted part must be enough to recall the whole. */
import type { ClassificationTask } from './task.js';

const SIZE = 8;
/** Share of the pixels that are hidden (0) or flipped. */
const HIDDEN = 0.3;
const FLIPPED = 0.1;

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

/** +1 where the pixel is set, -1 elsewhere: 64 per glyph, in the order of the classes. */
export const GLYPHS: readonly Float32Array[] = Object.values(ROWS).map((rows) => {
  const bits = BigInt(`0x${rows}`)
    .toString(2)
    .padStart(SIZE * SIZE, '0');
  return Float32Array.from(bits, (bit) => (bit === '1' ? 1 : -1));
});

export const glyphs: ClassificationTask = {
  name: 'glyphs-8x8',
  description:
    'A picture of 8x8 pixels, +1 set and -1 clear, of which three tenths are hidden (0) and one ' +
    'tenth flipped; the class is the stored picture it comes from.',
  inputShape: [SIZE, SIZE],
  classes: Object.keys(ROWS),
  draw(random) {
    const label = random.below(GLYPHS.length);
    const input = (GLYPHS[label] ?? new Float32Array(SIZE * SIZE)).map((pixel) => {
      const luck = random.next();
      if (luck < HIDDEN) return 0;
      return luck < HIDDEN + FLIPPED ? -pixel : pixel;
    });
    return { input, label };
  },
};
