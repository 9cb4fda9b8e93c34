import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const payoutsErrors = {
  /** Another process has divided the charges; the accrual begins again behind them. */
  accrual_conflict: { status: 500 },
  beneficiary_required: { status: 400, param: 'beneficiary' },
  /** For an id that the caller may not see, too. */
  beneficiary_not_found: { status: 404, param: 'beneficiary' },
  payout_not_found: { status: 404, param: 'payout_id' },
  payout_not_positive: { status: 400, param: 'amount_usd' },
  payout_above_accrued: { status: 409, param: 'amount_usd' },
  payout_not_requested: { status: 409 },
  payout_not_approved: { status: 409 },
  payout_already_paid: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type PayoutsErrorCode = keyof typeof payoutsErrors;

/** @throws DomainError */
export const reject = (code: PayoutsErrorCode, detail: string): never => {
  throw new DomainError<PayoutsErrorCode>(code, detail);
};
