import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const paymentsErrors = {
  crypto_amount_too_small: { status: 400, param: 'amount_usd' },
  crypto_amount_too_large: { status: 400, param: 'amount_usd' },
  too_many_crypto_invoices: { status: 409 },
  crypto_invoice_not_found: { status: 404, param: 'id' },
  crypto_invoice_conflict: { status: 409 },
  crypto_not_configured: { status: 503, param: 'currency' },
  crypto_price_unavailable: { status: 503, param: 'currency' },
  crypto_chain_unavailable: { status: 503 },
  crypto_notification_invalid: { status: 401 },
  crypto_notification_mismatch: { status: 409 },
  too_many_unpaid_crypto_invoices: { status: 409 },
  deposit_gap_reached: { status: 503, param: 'currency' },
  stripe_not_configured: { status: 503 },
  stripe_signature_invalid: { status: 401 },
  stripe_event_invalid: { status: 400 },
  stripe_payment_not_found: { status: 404 },
  deposit_indexes_exhausted: { status: 503, param: 'currency' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type PaymentsErrorCode = keyof typeof paymentsErrors;

export const reject = (
  code: PaymentsErrorCode,
  detail: string,
  metadata?: Readonly<Record<string, unknown>>,
): never => {
  throw new DomainError<PaymentsErrorCode>(code, detail, metadata);
};
