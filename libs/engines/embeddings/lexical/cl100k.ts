import { countTokens, decode } from 'gpt-tokenizer/encoding/cl100k_base';
import { EmbeddingEngineError } from '../embeddings.errors.js';

/** Ids below are tokens of text; the special ones above encode no text. */
const TEXT_TOKENS = 100_256;

/** `<|endoftext|>` and its like are text here, as they would be in a document. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** Tokens of a text by OpenAI's `cl100k_base`. */
export const tokensOf = (text: string): number => countTokens(text, AS_TEXT);

/**
 * The text of tokens; bytes that are no UTF-8 become U+FFFD.
 * @throws EmbeddingEngineError `tokens_invalid`
 */
export const textOfTokens = (tokens: readonly number[]): string => {
  const unknown = tokens.find((token) => token >= TEXT_TOKENS);
  if (unknown === undefined) return decode(tokens);
  const message = `${unknown} is no token of text in cl100k_base, the tokenizer of this model`;
  throw new EmbeddingEngineError('tokens_invalid', message);
};
