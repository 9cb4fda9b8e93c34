import { z } from 'zod';
import { isBlobGone } from '#platform/blobs/blobs.errors.js';
import { type UsedUnits } from '#events/hold.vocabulary.js';
import { type DoubtedUsage } from '#events/token-usage.vocabulary.js';
import { type Tools } from '#platform/tools/tools.js';
import { isUnpayable } from '#platform/ledger/paid-work/ledger-rejection.js';
import { ExpansionError, RunExpansionError, TemplateError } from '../definition/templates.js';

const MESSAGE_LENGTH_MAX = 500;

/** Why an attempt of a node failed. */
export interface NodeFailure extends DoubtedUsage {
  readonly code: string;
  readonly message: string;
  readonly isRetryable: boolean;
  /** The usage of the attempt until it was aborted. */
  readonly used: readonly UsedUnits[];
}

const final = (code: string, message: string): NodeFailure => ({
  code,
  message: message.slice(0, MESSAGE_LENGTH_MAX),
  isRetryable: false,
  used: [],
});

/** Why a node could not begin; null: the fault is not the node's, and another look may help. */
export const preparationFailureOf = (error: unknown): NodeFailure | null => {
  if (error instanceof ExpansionError) return final('expansion_too_large', error.message);
  if (error instanceof RunExpansionError) return final('run_expansion_too_large', error.message);
  if (error instanceof TemplateError) return final('reference_missing', error.message);
  if (isBlobGone(error)) return final('content_gone', 'the content of the run is no longer kept');
  if (isUnpayable(error)) return final(error.code, error.detail);
  if (!(error instanceof z.ZodError)) return null;
  const [first] = error.issues;
  return final('invalid_input', `${z.core.toDotPath(first?.path ?? [])}: ${first?.message ?? ''}`);
};

/** Why a call of a tool failed. The message of a defect is for the log only. */
export const callFailureOf = (
  error: unknown,
  tools: Pick<Tools, 'failureOf' | 'usedBy'>,
): NodeFailure => {
  const used = tools.usedBy(error);
  const { code, message, isRetryable } = tools.failureOf(error) ?? DEFECT;
  return { code, message: message.slice(0, MESSAGE_LENGTH_MAX), isRetryable, used };
};

const DEFECT = { code: 'internal_error', message: 'the tool failed', isRetryable: true };

export const timedOut = (
  what: string,
  { used, usageDoubts }: Pick<NodeFailure, 'used' | 'usageDoubts'> = { used: [] },
): NodeFailure => ({
  code: 'timed_out',
  message: `${what} took too long`,
  isRetryable: true,
  used,
  usageDoubts,
});

export { final as finalFailure };
