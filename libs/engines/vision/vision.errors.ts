/** `final`: every worker would fail the same way. */
export const VISION_FAILURES = {
  frame_invalid: 'final',
  model_damaged: 'elsewhere',
  crashed: 'elsewhere',
  closed: 'elsewhere',
} as const;
export type VisionFailure = keyof typeof VISION_FAILURES;

/** Errors of the engine; `code` is the code of the failed task. */
export class VisionEngineError extends Error {
  override readonly name = 'VisionEngineError';

  constructor(
    readonly code: VisionFailure,
    message: string,
  ) {
    super(message);
  }
}
