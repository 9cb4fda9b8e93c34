import { type LlamaHeader } from '../../llama-layers/model/llama.header.js';
import { TrainingError } from '../training.errors.js';

const KEYS = ['tokens', 'merges', 'token_type'] as const;

/**
 * A teacher's probabilities are of its own tokens, so the student must have the same ones.
 * @throws TrainingError `vocabulary_mismatch`
 */
export const demandOneVocabulary = (student: LlamaHeader, teacher: LlamaHeader): void => {
  for (const key of KEYS) {
    const [one, other] = [student, teacher].map(({ metadata }) =>
      JSON.stringify(metadata.get(`tokenizer.ggml.${key}`)),
    );
    if (one === other) continue;
    const message = `the models have different vocabularies: tokenizer.ggml.${key} differs`;
    throw new TrainingError('vocabulary_mismatch', message);
  }
};
