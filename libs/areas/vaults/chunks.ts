import { z } from 'zod';
import { reject } from './vaults.errors.js';

/** Of a chunk, in UTF-16 code units. */
export const CHUNK_LENGTH_MAX = 800;

/** The characters that count as a token: the tokens of each model differ. */
export const TOKEN_LENGTH = 4;

/** In tokens, as OpenAI's vector stores have it; null: chunks of 800 characters, none twice. */
export const ChunkRule = z
  .strictObject({
    max_chunk_size_tokens: z.int().min(100).max(4_096),
    chunk_overlap_tokens: z.int().min(0),
  })
  .refine(({ max_chunk_size_tokens: size, chunk_overlap_tokens: overlap }) => 2 * overlap <= size, {
    path: ['chunk_overlap_tokens'],
    error: 'expected at most half of max_chunk_size_tokens',
  })
  .nullable();
export type ChunkRule = z.infer<typeof ChunkRule>;

interface Lengths {
  readonly longest: number;
  /** A chunk ends at a boundary behind this length where there is one. */
  readonly least: number;
  /** Of the end of a chunk, which the next one begins with. */
  readonly overlap: number;
}

const lengthsOf = (rule: ChunkRule): Lengths => {
  const longest = rule ? rule.max_chunk_size_tokens * TOKEN_LENGTH : CHUNK_LENGTH_MAX;
  const overlap = rule ? rule.chunk_overlap_tokens * TOKEN_LENGTH : 0;
  return { longest, overlap, least: (longest + overlap) / 2 };
};
export const CHUNKS_PER_DOCUMENT_MAX = 1_024;
export const TEXT_LENGTH_MAX = 524_288;

/** Of the end of a paragraph, a line, a sentence, a word; the last one of the first kind counts. */
const BOUNDARIES = [/\n[^\S\n]*\n/g, /\n/g, /[.!?。！？]["'”’)]*\s/g, /\s/g] as const;
const READABLE = /[\p{L}\p{N}]/u;
const LOW_SURROGATE = /^[\uDC00-\uDFFF]/;
const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/** Whether a text has letters or digits, without which there is nothing to find it by. */
export const isReadable = (text: string): boolean => READABLE.test(text);

const endOf = (rest: string, { longest, least }: Lengths): number => {
  if (rest.length <= longest) return rest.length;
  const window = rest.slice(0, longest);
  for (const boundary of BOUNDARIES) {
    const last = [...window.matchAll(boundary)].at(-1);
    const end = last ? last.index + last[0].length : 0;
    if (end >= least) return end;
  }
  return HIGH_SURROGATE.test(window) ? longest - 1 : longest;
};

/**
 * The parts of a text that get a vector each, without space around them. The same text always has
 * the same parts. Parts without letters and digits are left out.
 * @throws DomainError `vault_text_empty`, `vault_document_too_large`
 */
export const chunksOf = (text: string, rule: ChunkRule = null): readonly string[] => {
  const lengths = lengthsOf(rule);
  const chunks: string[] = [];
  for (let at = 0, end = 0; end < text.length;) {
    end = at + endOf(text.slice(at, at + lengths.longest + 1), lengths);
    const chunk = text.slice(at, end).trim();
    if (isReadable(chunk)) chunks.push(chunk);
    at = end - lengths.overlap;
    if (LOW_SURROGATE.test(text.slice(at, at + 1))) at -= 1;
  }
  if (chunks.length === 0) {
    return reject('vault_text_empty', 'payload_text: expected a text with letters or digits');
  }
  if (chunks.length > CHUNKS_PER_DOCUMENT_MAX) {
    const detail = `payload_text: expected at most ${CHUNKS_PER_DOCUMENT_MAX} chunks`;
    return reject('vault_document_too_large', `${detail}, received ${chunks.length}`);
  }
  return chunks;
};
