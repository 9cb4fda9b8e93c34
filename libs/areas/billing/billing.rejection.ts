import { DomainError } from '#platform/kernel/domain-error.js';
import { type BillingErrorCode } from './billing.errors.js';

export const reject = (
  code: BillingErrorCode,
  detail: string,
  metadata?: Readonly<Record<string, unknown>>,
): never => {
  throw new DomainError<BillingErrorCode>(code, detail, metadata);
};
