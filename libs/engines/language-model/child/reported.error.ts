import type { Failure } from '#engines/language-model/language-model.protocol.js';

/** A failure with a code that the caller receives. */
export class ReportedError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.code);
    this.failure = failure;
  }
}

export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
