import { byteCharacters } from '../llama-layers/text/byte-characters.js';
import { reject } from './model-import.errors.js';
import { type ReadVocabulary } from './read-model.js';

const TOKENS_MAX = 262_144;
const MERGES_MAX = 1_048_576;
const TOKEN_LENGTH_MAX = 1_024;
/** llama.cpp's numbers: normal, unknown, control, user-defined, unused, byte. */
const TYPES: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6]);

/** Merges make tokens of tokens, and every byte is one, so that every text has its tokens. */
export const demandVocabulary = (vocabulary: ReadVocabulary): void => {
  const { tokens, types, merges, firstId, endId, paddingId } = vocabulary;
  const wrong = (detail: string): never => reject('file_invalid', detail);
  if (tokens.length > TOKENS_MAX) wrong(`it has ${tokens.length} tokens, not ${TOKENS_MAX}`);
  if (merges.length > MERGES_MAX) wrong(`it has ${merges.length} merges, not ${MERGES_MAX}`);
  const known = new Set(tokens);
  if (known.size !== tokens.length) wrong('two of its tokens are equal');
  if (tokens.some((token) => token === '' || token.length > TOKEN_LENGTH_MAX)) {
    wrong(`a token has 0 or more than ${TOKEN_LENGTH_MAX} characters`);
  }
  if (!types.every((type) => TYPES.has(type))) wrong('a token has an unknown type');
  const missing = byteCharacters().filter((character) => !known.has(character));
  if (missing.length > 0) {
    reject('unsupported', `${missing.length} bytes are no tokens: ${missing.join('')}`);
  }
  merges.forEach((merge, rank) => {
    const [left = '', right = '', ...rest] = merge.split(' ');
    const isSound = rest.length === 0 && [left, right, left + right].every((one) => known.has(one));
    if (!isSound) wrong(`its merge ${rank} makes no token of two tokens`);
  });
  for (const id of [firstId, endId, paddingId]) {
    const isToken = id === null || (Number.isInteger(id) && id >= 0 && id < tokens.length);
    if (!isToken) wrong(`there is no token ${id}`);
  }
};
