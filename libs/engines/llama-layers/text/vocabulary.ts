import { createHash } from 'node:crypto';
import { type GgufHeader } from '../../language-model/gguf.header.js';

/** Keys of a GGUF header that make the tokens of a text. */
const KEYS = ['model', 'pre', 'tokens', 'merges', 'token_type'] as const;

/** A text that two models share exactly when their tokens are the same. */
export const vocabularyOf = (metadata: GgufHeader['metadata']): string => {
  const hash = createHash('sha256');
  for (const key of KEYS)
    hash.update(JSON.stringify(metadata.get(`tokenizer.ggml.${key}`) ?? null));
  return hash.digest('hex');
};
