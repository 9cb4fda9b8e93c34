import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  CHUNK_LENGTH_MAX,
  ChunkRule,
  CHUNKS_PER_DOCUMENT_MAX,
  chunksOf,
  TEXT_LENGTH_MAX,
} from './chunks.js';

const letters = (text: string): string => text.replace(/\s+/g, '');

describe('the chunks of a text', () => {
  it('are its paragraphs where two do not fit, else its sentences, else its words', () => {
    const [paragraph, sentence] = ['p'.repeat(500), `${'s'.repeat(449)}.`];
    expect(chunksOf(`${paragraph}\n\n${paragraph}`)).toEqual([paragraph, paragraph]);
    expect(chunksOf(`${sentence} ${sentence}`)).toEqual([sentence, sentence]);
    const words = `${'w'.repeat(450)} ${'w'.repeat(450)}`;
    expect(chunksOf(words)).toEqual(words.split(' '));
    expect(chunksOf('w'.repeat(900))).toEqual(['w'.repeat(CHUNK_LENGTH_MAX), 'w'.repeat(100)]);
  });

  it('have all letters of the text, in bounded parts that halve no character', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3_000 });
    fc.assert(
      fc.property(text, (tail) => {
        const chunks = chunksOf(`a ${tail}`);
        expect(chunks).toEqual(chunksOf(`a ${tail}`));
        for (const chunk of chunks) {
          expect(chunk.length).toBeLessThanOrEqual(CHUNK_LENGTH_MAX);
          expect(chunk.isWellFormed() || !tail.isWellFormed()).toBe(true);
        }
        const readable = (value: string) => value.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
        expect(readable(letters(chunks.join('')))).toBe(readable(letters(`a ${tail}`)));
      }),
      { numRuns: 50 },
    );
  });

  it('may be made by a rule in tokens, and overlap', () => {
    const rule = { max_chunk_size_tokens: 100, chunk_overlap_tokens: 50 };
    const text = Array.from({ length: 300 }, (_, n) => String(n).padStart(9, '0')).join(' ');
    const chunks = chunksOf(text, rule);
    for (const [n, chunk] of chunks.entries()) {
      expect(chunk.length).toBeLessThanOrEqual(400);
      if (n > 0) expect(chunks[n - 1]).toContain(chunk.slice(0, 190));
    }
    expect(chunks.at(-1)?.endsWith('000000299')).toBe(true);
    expect(ChunkRule.safeParse({ ...rule, chunk_overlap_tokens: 51 }).success).toBe(false);
  });

  it.each(['', ' ', '?! --- …'])('cannot be made of "%s", which is rejected', (text) => {
    expect(() => chunksOf(text)).toThrow(expect.objectContaining({ code: 'vault_text_empty' }));
  });

  it('are limited in number', () => {
    const page = `${'p'.repeat(500)}\n\n`;
    expect(chunksOf(page.repeat(CHUNKS_PER_DOCUMENT_MAX))).toHaveLength(CHUNKS_PER_DOCUMENT_MAX);
    const tooLong = page.repeat(CHUNKS_PER_DOCUMENT_MAX + 1);
    expect(tooLong.length).toBeLessThan(TEXT_LENGTH_MAX);
    expect(() => chunksOf(tooLong)).toThrow(
      expect.objectContaining({
        code: 'vault_document_too_large',
        detail: 'payload_text: expected at most 1024 chunks, received 1025',
      }),
    );
  });
});
