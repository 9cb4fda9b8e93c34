/** `final`: every worker would fail the same way. */
export const IMAGE_FAILURES = {
  model_damaged: 'elsewhere',
  crashed: 'elsewhere',
  closed: 'elsewhere',
} as const;
export type ImageFailure = keyof typeof IMAGE_FAILURES;

/** Errors of the engine; `code` is the code of the failed task. */
export class ImageEngineError extends Error {
  override readonly name = 'ImageEngineError';

  constructor(
    readonly code: ImageFailure,
    message: string,
  ) {
    super(message);
  }
}
