/** A training cannot use its files; the message names the fault. */
export type TrainingErrorCode =
  | 'model_unsupported'
  | 'model_too_large'
  | 'vocabulary_mismatch'
  | 'text_unusable'
  | 'checkpoint_unusable'
  | 'loss_not_finite'
  | 'crashed'
  | 'closed';

export class TrainingError extends Error {
  override readonly name = 'TrainingError';

  constructor(
    readonly code: TrainingErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
