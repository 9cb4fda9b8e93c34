/** Why a session or a transfer failed. */
export type ConvergenceFault =
  /** Bytes that RFC 9174 does not allow. */
  | 'malformed'
  /** Well-formed, and beyond what this implementation takes part in. */
  | 'unsupported'
  /** Beyond a limit that this node has announced. */
  | 'too_large'
  /** The peer refused a transfer; `reason` says why. */
  | 'refused'
  /** The session is over, and a transfer was not acknowledged. */
  | 'closed'
  /** The peer did not answer in time. */
  | 'timed_out'
  /** TLS is demanded, and was not agreed on or failed. */
  | 'insecure';

export class ConvergenceError extends Error {
  override readonly name = 'ConvergenceError';

  constructor(
    readonly code: ConvergenceFault,
    message: string,
    /** The reason code that goes to the peer, or came from it. */
    readonly reason: number = 0,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
