import { headerOf } from '../language-model/model-files.js';
import { VocabularyMismatchError } from './speculative.engine.errors.js';

/** The fields that are equal in equal tokenizers; lists are compared in order. */
const TOKENIZER_FIELDS = [
  'tokenizer.ggml.model',
  'tokenizer.ggml.pre',
  'tokenizer.ggml.tokens',
  'tokenizer.ggml.merges',
] as const;

/**
 * Compares the headers of two model files; no model is loaded.
 * @throws VocabularyMismatchError, ModelFileMissingError, ModelFileInvalidError
 */
export const demandSameVocabulary = async (target: string, draft: string): Promise<void> => {
  if (target === draft) return;
  const [wanted, found] = [await headerOf(target), await headerOf(draft)];
  for (const field of TOKENIZER_FIELDS) {
    const [one, other] = [wanted.metadata.get(field), found.metadata.get(field)];
    const difference = differenceOf(one, other);
    if (difference !== null) throw new VocabularyMismatchError(`${field} ${difference}`);
  }
};

const differenceOf = (one: unknown, other: unknown): string | null => {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other ? null : 'differs';
  if (one.length !== other.length) return `has ${other.length} entries instead of ${one.length}`;
  const index = one.findIndex((entry, at) => entry !== other[at]);
  return index === -1 ? null : `differs at ${index}`;
};
