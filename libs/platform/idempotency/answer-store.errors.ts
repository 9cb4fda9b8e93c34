/** The complete set of error codes. Any other error of an adapter is a defect. */
export type AnswerStoreErrorCode =
  /** Not 1 to 255 printable ASCII characters. */
  | 'invalid-key'
  /** Closed, unreachable, read-only, out of space or busy for too long; trying again may help. */
  | 'store-unavailable'
  /** Not an answer store, damaged, or of a newer version. */
  | 'store-unreadable'
  /** A kept answer is damaged or was tampered with. */
  | 'answer-unreadable';

export class AnswerStoreError extends Error {
  override readonly name = 'AnswerStoreError';

  /** @param detail a sentence for the operator; never holds a key, a prompt or a reply */
  constructor(
    readonly code: AnswerStoreErrorCode,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${code}: ${detail}`, options);
  }
}
