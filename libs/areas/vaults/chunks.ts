import { reject } from './vaults.errors.js';

/** Of a chunk, in UTF-16 code units. */
export const CHUNK_LENGTH_MAX = 800;
/** A chunk ends at a boundary behind this length where there is one. */
const CHUNK_LENGTH_LEAST = 400;
export const CHUNKS_PER_DOCUMENT_MAX = 1_024;
export const TEXT_LENGTH_MAX = 524_288;

/** Of the end of a paragraph, a line, a sentence, a word; the last one of the first kind counts. */
const BOUNDARIES = [/\n[^\S\n]*\n/g, /\n/g, /[.!?。！？]["'”’)]*\s/g, /\s/g] as const;
const READABLE = /[\p{L}\p{N}]/u;
const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/** Whether a text has letters or digits, without which there is nothing to find it by. */
export const isReadable = (text: string): boolean => READABLE.test(text);

const endOf = (rest: string): number => {
  if (rest.length <= CHUNK_LENGTH_MAX) return rest.length;
  const window = rest.slice(0, CHUNK_LENGTH_MAX);
  for (const boundary of BOUNDARIES) {
    const last = [...window.matchAll(boundary)].at(-1);
    const end = last ? last.index + last[0].length : 0;
    if (end >= CHUNK_LENGTH_LEAST) return end;
  }
  return HIGH_SURROGATE.test(window) ? CHUNK_LENGTH_MAX - 1 : CHUNK_LENGTH_MAX;
};

/**
 * The parts of a text that get a vector each, without space around them. The same text always has
 * the same parts. Parts without letters and digits are left out.
 * @throws DomainError `vault_text_empty`, `vault_document_too_large`
 */
export const chunksOf = (text: string): readonly string[] => {
  const chunks: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + endOf(text.slice(at, at + CHUNK_LENGTH_MAX + 1));
    const chunk = text.slice(at, end).trim();
    if (isReadable(chunk)) chunks.push(chunk);
    at = end;
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
