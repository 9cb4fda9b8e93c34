/** The codes of the embeddings engine. `elsewhere`: another worker may succeed. */
export const EMBEDDING_FAILURES = {
  model_file_missing: 'elsewhere',
  model_file_invalid: 'final',
  input_too_long: 'final',
  input_unreadable: 'final',
  tokens_invalid: 'final',
  dimensions_unsupported: 'final',
  model_failed: 'final',
  crashed: 'elsewhere',
  busy: 'elsewhere',
  closed: 'elsewhere',
} as const;
export type EmbeddingFailure = keyof typeof EMBEDDING_FAILURES;

export class EmbeddingEngineError extends Error {
  override readonly name = 'EmbeddingEngineError';

  constructor(
    readonly code: EmbeddingFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
