import { DomainError } from '#platform/kernel/domain-error.js';

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
  /** The rig at fault; for the log, the caller does not see it. */
  readonly rig?: string;
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

/** The HTTP failures of the errors of all areas. */
export interface Meanings {
  /** Domain errors, by their code. */
  readonly errors: Readonly<Record<string, ErrorMeaning>>;
  /** Technical failures. The first mapping that recognises an error decides. */
  readonly failures: readonly FailureMapping[];
}

/** What an error of an area is to its caller; undefined for a defect and for any other error. */
export const describedBy = (
  error: unknown,
  { errors, failures }: Meanings,
): FailureDescription | undefined => {
  if (error instanceof DomainError) return domainFailure(error as DomainError, errors);
  for (const { describe } of failures) {
    const described = describe(error);
    if (described) return described;
  }
  return undefined;
};

const domainFailure = (
  { code, detail, metadata }: DomainError,
  errors: Meanings['errors'],
): FailureDescription | undefined => {
  const { status, param } = errors[code] ?? { status: 500 };
  if (status >= 500 && status !== 501 && status !== 503) return undefined;
  const seconds = metadata?.['retry_after_seconds'];
  return {
    status,
    code,
    message: detail,
    ...(typeof seconds === 'number' && { retryAfterSeconds: seconds }),
    ...(param !== undefined && { param }),
    ...(metadata && { metadata }),
  };
};

/** OpenAI's error types by status. SDKs choose their exception class by the status itself. */
export const errorType = (status: number): string => {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 402:
      return 'insufficient_quota';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 409:
      return 'conflict_error';
    case 429:
      return 'rate_limit_error';
    default:
      return status >= 500 ? 'server_error' : 'invalid_request_error';
  }
};
