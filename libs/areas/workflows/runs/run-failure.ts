import { z } from 'zod';
import { type Tools } from '#platform/tools/tools.js';
import { TemplateError } from '../definition/templates.js';
import { isGone } from '../workflow-blobs.js';
import { isUnpayable } from './run-funds.js';

const MESSAGE_LENGTH_MAX = 500;

/** Why an attempt of a node failed. */
export interface NodeFailure {
  readonly code: string;
  readonly message: string;
  readonly isRetryable: boolean;
}

const final = (code: string, message: string): NodeFailure => ({
  code,
  message: message.slice(0, MESSAGE_LENGTH_MAX),
  isRetryable: false,
});

/** Why a node could not begin; null: the fault is not the node's, and another look may help. */
export const preparationFailureOf = (error: unknown): NodeFailure | null => {
  if (error instanceof TemplateError) return final('reference_missing', error.message);
  if (isGone(error)) return final('content_gone', 'the content of the run is no longer kept');
  if (isUnpayable(error)) return final(error.code, error.detail);
  if (!(error instanceof z.ZodError)) return null;
  const [first] = error.issues;
  return final('invalid_input', `${z.core.toDotPath(first?.path ?? [])}: ${first?.message ?? ''}`);
};

/** Why a call of a tool failed. The message of a defect is for the log only. */
export const callFailureOf = (error: unknown, tools: Pick<Tools, 'failureOf'>): NodeFailure => {
  const failure = tools.failureOf(error);
  if (!failure) return { code: 'internal_error', message: 'the tool failed', isRetryable: true };
  return { ...failure, message: failure.message.slice(0, MESSAGE_LENGTH_MAX) };
};

export const timedOut = (what: string): NodeFailure => ({
  code: 'timed_out',
  message: `${what} took too long`,
  isRetryable: true,
});

export { final as finalFailure };
