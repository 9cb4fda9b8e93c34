/** What the caller of a route is given when it fails, before it takes the shape of that route. */
export interface FailureDescription {
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
}

/** What a domain error is in HTTP, by its code. */
export interface ErrorMeaning {
  readonly status: number;
  /** The field at fault, where it is always the same one. */
  readonly param?: string;
}

/** A technical failure of an area, which is no decision of its deciders. */
export interface FailureMapping {
  /** Undefined for an error of another kind. */
  readonly describe: (error: unknown) => FailureDescription | undefined;
  /** The codes that `describe` returns, for the OpenAPI document. */
  readonly codes: Readonly<Record<string, ErrorMeaning>>;
}

/**
 * Maps the instances of one error class.
 * @param codes the codes that `describe` returns, for the OpenAPI document
 */
export const mapFailure = <Failure extends Error>(
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a class, whatever it is built of
  errorClass: abstract new (...parts: any[]) => Failure,
  describe: (error: Failure) => FailureDescription,
  codes: FailureMapping['codes'] = {},
): FailureMapping => ({
  codes,
  describe: (error) => (error instanceof errorClass ? describe(error) : undefined),
});
