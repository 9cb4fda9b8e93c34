/** Errors of this engine, in addition to the errors of the engines that it reads files with. */
export type QuantizationErrorCode =
  'budget_too_small' | 'model_too_large' | 'rows_unsupported' | 'text_too_short';

export class QuantizationError extends Error {
  override readonly name = 'QuantizationError';

  constructor(
    readonly code: QuantizationErrorCode,
    message: string,
  ) {
    super(message);
  }
}
