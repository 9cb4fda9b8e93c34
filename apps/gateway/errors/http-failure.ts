/**
 * A failure that the HTTP edge itself decides: authentication, limits, unavailable engines. The
 * exception filter turns it into the envelope of the route it happened on.
 */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';

  constructor(
    readonly failure: {
      readonly status: number;
      /** Stable, for programs. */
      readonly code: string;
      /** A sentence for people; never holds a secret. */
      readonly message: string;
      /** The field at fault. */
      readonly param?: string;
      /** OpenAI's error type; by default it follows from the status. */
      readonly type?: string;
      /** Only where waiting helps. */
      readonly retryAfterSeconds?: number;
      /** Further fields of the envelope's `metadata`. */
      readonly metadata?: Readonly<Record<string, unknown>>;
    },
  ) {
    super(failure.message);
  }
}
