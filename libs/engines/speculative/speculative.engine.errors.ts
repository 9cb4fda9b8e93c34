/** The codes by which requests to a pair fail; the first is this engine's own. */
export const SPECULATIVE_FAILURES = {
  vocabulary_mismatch: 'final',
  prompt_too_long: 'final',
  model_file_invalid: 'final',
  model_failed: 'final',
  crashed: 'final',
  busy: 'elsewhere',
  closed: 'elsewhere',
  model_file_missing: 'elsewhere',
} as const;

/** A draft must have the vocabulary of its target: its tokens are taken as they are. */
export class VocabularyMismatchError extends Error {
  override readonly name = 'VocabularyMismatchError';
  readonly code = 'vocabulary_mismatch';

  constructor(difference: string) {
    super(`the draft has another vocabulary than the target: ${difference}`);
  }
}
