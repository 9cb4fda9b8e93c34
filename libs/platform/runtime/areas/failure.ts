import { DomainError } from '#platform/kernel/domain-error.js';
import { RequestCutError } from '../commands/request-cut.js';

/** The description of a failure for the caller, before it takes the shape of the route. */
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

/** The HTTP answer for a domain error. */
export interface ErrorMeaning {
  readonly status: number;
  /** The field at fault, where it is always the same one. */
  readonly param?: string;
  /** Default: `known`, since a domain error rejects a request before its charge. */
  readonly charge?: ChargeAfterFailure;
}

/**
 * The state of the charge of a request that ends with an error. `known`: its hold has ended,
 * and a charge that was made is final. `unknown`: the ledger has to be asked.
 */
export type ChargeAfterFailure = 'known' | 'unknown';

/** A technical failure of an area, which is no decision of its deciders. */
export interface FailureMapping {
  readonly charge: ChargeAfterFailure;
  /** Undefined for an error of another kind. */
  readonly describe: (error: unknown) => FailureDescription | undefined;
  /** The codes that `describe` returns, for the OpenAPI document. */
  readonly codes: Readonly<Record<string, ErrorMeaning>>;
}

/**
 * Maps the instances of one error class.
 * @param codes the codes that `describe` returns, for the OpenAPI document
 * @param charge `known` for a failure that the area throws after the hold of its request has ended
 */
export const mapFailure = <Failure extends Error>(
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a class, whatever it is built of
  errorClass: abstract new (...parts: any[]) => Failure,
  describe: (error: Failure) => FailureDescription,
  codes: FailureMapping['codes'] = {},
  charge: ChargeAfterFailure = 'unknown',
): FailureMapping => ({
  codes,
  charge,
  describe: (error) => (error instanceof errorClass ? describe(error) : undefined),
});

/** The HTTP failures of the errors of all areas. */
export interface Meanings {
  /** Domain errors, by their code. */
  readonly errors: Readonly<Record<string, ErrorMeaning>>;
  /** Technical failures. The first mapping that recognises an error decides. */
  readonly failures: readonly FailureMapping[];
}

/** The description of an area's error; undefined for a defect and for any other error. */
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

/** Whether the charge of a request that ended with this error is known and final. */
export const isChargeKnown = (error: unknown, { errors, failures }: Meanings): boolean => {
  if (error instanceof RequestCutError) return true;
  if (error instanceof DomainError) {
    const meaning = errors[(error as DomainError).code];
    return meaning !== undefined && meaning.charge !== 'unknown';
  }
  return failures.some(
    ({ charge, describe }) => charge === 'known' && describe(error) !== undefined,
  );
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
