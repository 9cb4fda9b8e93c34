import { DomainError } from '#platform/kernel/domain-error.js';

export const isRejection = (error: unknown, code: string): error is DomainError =>
  error instanceof DomainError && error.code === code;

/** Whether the account cannot pay now: its balance or a budget does not cover the work. */
export const isUnpayable = (error: unknown): error is DomainError =>
  isRejection(error, 'insufficient_balance') || isRejection(error, 'budget_exceeded');
