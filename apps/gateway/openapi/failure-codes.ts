import { type Areas } from '#platform/runtime/areas/area.js';

/** A code that programs can rely on, in the `code` field of a failure. */
export interface FailureCode {
  readonly status: number;
  readonly code: string;
  /** The name of an area; `gateway` for the codes that any route can return. */
  readonly origin: string;
  /** The field at fault, where it is always the same one. */
  readonly param?: string;
}

const GATEWAY = 'gateway';

/** The codes of the gateway and of the platform, by status. */
const GATEWAY_CODES: Readonly<Record<number, readonly string[]>> = {
  400: [
    'invalid_request',
    'invalid_json',
    'invalid_content_length',
    'body_too_complex',
    'body_incomplete',
    'invalid_idempotency_key',
    'bad_url',
    'malformed_request',
    'invalid_form',
    'invalid_as_of',
  ],
  401: ['invalid_api_key', 'missing_credentials', 'credential_not_accepted'],
  403: [
    'insufficient_role',
    'scope_missing',
    'route_not_allowed',
    'address_not_allowed',
    'origin_not_allowed',
    'csrf_token_invalid',
    'confirmation_needed',
    'insecure_connection',
  ],
  404: ['not_found'],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  409: [
    'idempotency_conflict',
    'idempotency_running',
    'idempotency_answer_lost',
    'idempotency_answer_too_large',
  ],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  417: ['expectation_failed'],
  429: ['rate_limit_exceeded', 'too_many_attempts', 'too_many_uploads'],
  431: ['headers_too_large'],
  500: ['internal_error'],
  503: [
    'event_unreadable',
    'content_lost',
    'cut_stream',
    'read_model_foreign',
    'read_model_lagging',
    'history_missing',
    'contention',
    'log_foreign',
    'draining',
    'too_many_bodies',
    'store_unavailable',
    'unknown_outcome',
    'stale_revision',
    'append_too_large',
    'invalid_append',
  ],
};

const gatewayCodes: readonly FailureCode[] = Object.entries(GATEWAY_CODES).flatMap(
  ([status, codes]) => codes.map((code) => ({ status: Number(status), code, origin: GATEWAY })),
);

/**
 * Every code that the gateway and these areas return, by status. A domain error with status 500 is
 * a defect and leaves as `internal_error`, so it is not listed.
 */
export const failureCodesOf = ({ list }: Areas): readonly FailureCode[] => {
  const areaCodes = list.flatMap(({ name, errors, failures }) => {
    const meanings = Object.assign(
      {},
      ...failures.map(({ codes }) => codes),
      errors,
    ) as typeof errors;
    return Object.entries(meanings)
      .filter(([, { status }]) => status !== 500)
      .map(([code, { status, param }]): FailureCode => ({
        status,
        code,
        origin: name,
        ...(param !== undefined && { param }),
      }));
  });
  return [...gatewayCodes, ...areaCodes].sort((one, other) => one.status - other.status);
};

/** The codes as a table in Markdown, for the description of the document. */
export const failureTable = (codes: readonly FailureCode[]): string =>
  [
    '| Status | Code | Declared by |',
    '| --- | --- | --- |',
    ...codes.map(({ status, code, origin }) => `| ${status} | \`${code}\` | ${origin} |`),
  ].join('\n');
