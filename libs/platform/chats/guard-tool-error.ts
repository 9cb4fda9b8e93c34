import { DomainError } from '#platform/kernel/domain-error.js';
import { ToolError } from '#platform/tools/tool.js';
import { guardErrors, isGuardFailed } from './chat-guards.port.js';

/** @throws ToolError for an error of a guard, and any other error as it is */
export const guardToolError = (error: unknown): never => {
  if (!(error instanceof DomainError)) throw error;
  const { code, detail } = error as DomainError;
  if (!(code in guardErrors)) throw error;
  throw new ToolError(code, detail, { isRetryable: isGuardFailed(error) });
};
