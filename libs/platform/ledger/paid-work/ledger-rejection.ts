import { DomainError } from '#platform/kernel/domain-error.js';

export const isRejection = (error: unknown, code: string): error is DomainError =>
  error instanceof DomainError && error.code === code;

const UNPAYABLE = ['insufficient_balance', 'budget_exceeded', 'account_closed'];

/** Whether the account cannot pay: its balance or a budget does not cover it, or it is closed. */
export const isUnpayable = (error: unknown): error is DomainError =>
  UNPAYABLE.some((code) => isRejection(error, code));
