/** The closed set of errors. Any other error of an adapter is a defect. */
export type BusErrorCode =
  /** The name of a topic or a group, or the number of attempts, is malformed. */
  | 'invalid-options'
  | 'invalid-message'
  | 'message-too-large'
  /** Too much is undelivered: slow down and publish again. */
  | 'topic-full'
  | 'unknown-dead-letter'
  /** Closed or unreachable. Messages may have been accepted: publish the same ids again. */
  | 'bus-unavailable';

export class BusError extends Error {
  override readonly name = 'BusError';

  /** @param detail a sentence for the operator; it may name topics and ids, never data */
  constructor(
    readonly code: BusErrorCode,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${code}: ${detail}`, options);
  }
}
