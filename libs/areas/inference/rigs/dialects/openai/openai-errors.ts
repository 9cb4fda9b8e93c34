import { type JsonObject, type RigErrorKind } from '../../chat-backend.js';
import { isObject } from '../../token-usage.js';
import { type ErrorReader, type ProviderError } from '../dialect.js';

/**
 * Codes that say more than their status. The first group is the operator's money: the provider
 * sends it as 429, and no wait helps.
 */
const KINDS: Readonly<Record<string, RigErrorKind>> = {
  insufficient_quota: 'failed',
  credit_balance_exhausted: 'failed',
  billing_hard_limit_reached: 'failed',
  organization_spend_limit_exceeded: 'failed',
  project_spend_limit_exceeded: 'failed',
  server_is_overloaded: 'overloaded',
  slow_down: 'overloaded',
};

const kindOf = ({ code, type }: JsonObject): RigErrorKind | undefined => {
  for (const name of [code, type]) {
    if (typeof name === 'string' && Object.hasOwn(KINDS, name)) return KINDS[name];
  }
  return undefined;
};

/** `{ error: { message, type, param, code } }`. */
export const openAiErrors: ErrorReader = (body) => {
  // Older vLLM puts the fields of the error at the top.
  const { error = body } = body;
  if (isObject(error)) return { error, kind: kindOf(error) };
  return typeof error === 'string' ? { error: { message: error } } : null;
};

/** An `error` sent as a chunk; it may carry a status as its code. */
export const errorChunkOf = (error: unknown): ProviderError => {
  if (!isObject(error)) return { error: { message: String(error) } };
  const { code } = error;
  return { error, kind: kindOf(error), ...(Number.isInteger(code) && { status: Number(code) }) };
};
