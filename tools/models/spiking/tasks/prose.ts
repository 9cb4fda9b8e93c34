/** The text that the byte-level language model learns: what the project's corpus says about it. */
import { stableHash, type SeededRandom } from '#engines/training/seeded-random.js';
import { paragraph, type Split } from '../../corpus/corpus.generator.js';

/** Bytes beyond ASCII are rare in the corpus and left out, so that every byte is a character. */
const asciiOnly = (text: string): string => text.replaceAll(/[^\n -~]/g, '');

/** One paragraph in six is held out. The split hangs on its text, not on when it is drawn. */
export const splitOfParagraph = (text: string): Split =>
  stableHash(text) % 6 === 0 ? 'held-out' : 'training';

/** At least `length` bytes of paragraphs of the split, joined by line feeds. */
export const prose = (split: Split, random: SeededRandom, length: number): Uint8Array => {
  const parts: string[] = [];
  for (let bytes = 0; bytes < length;) {
    const text = `${asciiOnly(paragraph(random))}\n`;
    if (splitOfParagraph(text) === split) {
      parts.push(text);
      bytes += text.length;
    }
  }
  return new TextEncoder().encode(parts.join(''));
};
