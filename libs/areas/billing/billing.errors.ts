/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const billingErrors = {
  account_not_found: { status: 404 },
  amount_not_positive: { status: 400 },
  amount_too_large: { status: 400 },
  deposit_conflict: { status: 409 },
  insufficient_balance: { status: 402 },
  hold_not_open: { status: 409 },
  hold_not_due: { status: 409 },
  hold_conflict: { status: 409 },
  purpose_mismatch: { status: 500 },
  capture_above_hold: { status: 500 },
} as const satisfies Readonly<Record<string, { readonly status: number }>>;

export type BillingErrorCode = keyof typeof billingErrors;
