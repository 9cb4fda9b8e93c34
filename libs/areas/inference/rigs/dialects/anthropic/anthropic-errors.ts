import { type JsonObject, type RigErrorKind } from '../../chat-backend.js';
import { isObject } from '../../token-usage.js';
import { type ErrorReader, type ProviderError } from '../dialect.js';

/** Types that say more than their status, or that come without one, within a stream. */
const ERRORS: Readonly<Record<string, { readonly kind: RigErrorKind; readonly status: number }>> = {
  invalid_request_error: { kind: 'refused', status: 400 },
  authentication_error: { kind: 'failed', status: 401 },
  billing_error: { kind: 'failed', status: 402 },
  permission_error: { kind: 'failed', status: 403 },
  not_found_error: { kind: 'failed', status: 404 },
  request_too_large: { kind: 'refused', status: 413 },
  rate_limit_error: { kind: 'overloaded', status: 429 },
  api_error: { kind: 'failed', status: 500 },
  timeout_error: { kind: 'timed-out', status: 504 },
  overloaded_error: { kind: 'overloaded', status: 529 },
};

/** A limit of the operator's own money, sent as 429: no wait helps. */
const SPEND_LIMIT = 'enforced_spend_limit_reached';

/** The error in OpenAI's shape. Anthropic names a field at the start of its message. */
const openAiError = ({ type, message }: JsonObject): JsonObject => {
  const said = typeof message === 'string' ? message : '';
  const field = FIELD.exec(said)?.groups?.['field'];
  return { message: said, type, code: type, ...(field !== undefined && { param: field }) };
};

const FIELD = /^(?<field>[a-z_]+(?:\.[a-z0-9_]+)*): /;

const read = (error: JsonObject): ProviderError => {
  const { type } = error;
  const known = typeof type === 'string' && Object.hasOwn(ERRORS, type) ? ERRORS[type] : undefined;
  const isSpent = JSON.stringify(error).includes(SPEND_LIMIT);
  return { error: openAiError(error), ...known, ...(isSpent && { kind: 'failed' }) };
};

/** `{ type: 'error', error: { type, message }, request_id }`. */
export const anthropicErrors: ErrorReader = ({ error }) => (isObject(error) ? read(error) : null);

/** The event `error` of a stream. */
export const errorEventOf = ({ error }: JsonObject): ProviderError =>
  isObject(error) ? read(error) : { error: { message: 'an error without a reason' } };
