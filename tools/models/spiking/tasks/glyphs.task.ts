/** Eight stored pictures, of which a corrupted part must be enough to recall the whole. */
import { GLYPH_NAMES, GLYPHS } from '#engines/spiking/models/glyph-patterns.js';
import type { ClassificationTask } from './task.js';

const SIZE = 8;
/** Share of the pixels that are hidden (0) or flipped. */
const HIDDEN = 0.3;
const FLIPPED = 0.1;

export const glyphs: ClassificationTask = {
  name: 'glyphs-8x8',
  description:
    'A picture of 8x8 pixels, +1 set and -1 clear, of which three tenths are hidden (0) and one ' +
    'tenth flipped; the class is the stored picture it comes from.',
  inputShape: [SIZE, SIZE],
  classes: [...GLYPH_NAMES],
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
