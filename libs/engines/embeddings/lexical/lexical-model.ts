import { EmbeddingEngineError } from '../embeddings.errors.js';
import { type EmbeddedInput, type EmbeddingInput } from '../embeddings.protocol.js';
import { unitVector } from '../unit-vector.js';
import { textOfTokens, tokensOf } from './cl100k.js';
import { featuresOf } from './features.js';
import { INPUT_TOKENS_MAX, INPUT_UNITS_MAX, RUN_UNITS_MAX } from './lexical-limits.js';
import { type StoredLexicalModel } from './lexical-weights.js';
import { project } from './projection.js';

/** Letters, white space or signs without a change. */
const LONG_RUN = new RegExp(
  `[\\p{L}\\p{M}]{${RUN_UNITS_MAX},}|\\s{${RUN_UNITS_MAX},}|[^\\s\\p{L}\\p{N}]{${RUN_UNITS_MAX},}`,
  'u',
);

const tooLong = (message: string): never => {
  throw new EmbeddingEngineError('input_too_long', message);
};

/** A text and its tokens, within the limits. */
const readInput = (input: EmbeddingInput): { readonly text: string; readonly tokens: number } => {
  const text = typeof input === 'string' ? input : textOfTokens(input);
  if (text.length > INPUT_UNITS_MAX) {
    return tooLong(`it has ${text.length} characters, and the model takes ${INPUT_UNITS_MAX}`);
  }
  if (LONG_RUN.test(text)) {
    return tooLong(`it has a run of ${RUN_UNITS_MAX} characters without a break between words`);
  }
  const tokens = typeof input === 'string' ? tokensOf(text) : input.length;
  if (tokens > INPUT_TOKENS_MAX) {
    return tooLong(`it has ${tokens} tokens, and the model takes ${INPUT_TOKENS_MAX}`);
  }
  return { text, tokens };
};

/**
 * One vector of unit length for a text: a pure function of text, weights and `dimensions`.
 * @param dimensions the first ones that are wanted; null for all
 * @throws EmbeddingEngineError `input_too_long`, `input_unreadable`, `tokens_invalid`,
 *   `dimensions_unsupported`
 */
export const embedLexically = (
  { projection, card }: StoredLexicalModel,
  input: EmbeddingInput,
  dimensions: number | null,
): EmbeddedInput => {
  if (dimensions !== null && dimensions > card.dimensions) {
    const message = `the model has ${card.dimensions} dimensions, and not ${dimensions}`;
    throw new EmbeddingEngineError('dimensions_unsupported', message);
  }
  const { text, tokens } = readInput(input);
  const features = featuresOf(text);
  if (features.buckets.length === 0) {
    const message = 'it has no letter and no digit, and a lexical model reads nothing else';
    throw new EmbeddingEngineError('input_unreadable', message);
  }
  const vector = unitVector(project(features, projection), dimensions ?? card.dimensions);
  return { vector, tokens };
};
