/** As `ErrorMeaning` of the runtime, which deciders do not see. */
interface Meaning {
  readonly status: number;
  readonly param?: string;
  readonly charge?: 'unknown';
}

/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const billingErrors = {
  account_not_found: { status: 404 },
  amount_not_positive: { status: 400 },
  amount_too_large: { status: 400 },
  deposit_conflict: { status: 409 },
  deposits_not_searched: { status: 500 },
  deposit_not_found: { status: 404 },
  reversal_above_deposit: { status: 409 },
  insufficient_balance: { status: 402 },
  budget_exceeded: { status: 402 },
  rate_limit_exceeded: { status: 429 },
  budget_without_limits: { status: 400 },
  budget_not_found: { status: 404 },
  budget_not_changeable: { status: 403 },
  too_many_budgets: { status: 409 },
  too_many_sub_accounts: { status: 409 },
  tree_too_deep: { status: 409 },
  not_related: { status: 404 },
  allotment_above_available: { status: 409 },
  allotment_conflict: { status: 409 },
  // Not 409, which clients of OpenAI's interface try again.
  account_closed: { status: 403 },
  holds_open: { status: 409 },
  sub_accounts_open: { status: 409 },
  account_overdrawn: { status: 409 },
  readers_behind: { status: 503 },
  log_foreign: { status: 503 },
  /** The policy of the key that asks does not list the model. */
  model_not_allowed: { status: 403, param: 'model' },
  request_not_found: { status: 404 },
  /** The log is not that long. */
  ledger_event_unknown: { status: 400, param: 'Last-Event-ID' },
  too_many_ledger_streams: { status: 429 },
  // The hold has expired, or another attempt has ended it.
  hold_not_open: { status: 409, charge: 'unknown' },
  hold_not_due: { status: 409 },
  hold_conflict: { status: 409 },
  purpose_mismatch: { status: 500 },
  capture_above_hold: { status: 500 },
  statement_not_found: { status: 404, param: 'month' },
  statement_too_large: { status: 422, param: 'month' },
  ledger_too_large: { status: 422 },
  too_many_replays: { status: 429 },
  month_not_closable: { status: 409 },
  adjustment_empty: { status: 400 },
  adjustment_conflict: { status: 409 },
  adjustment_above_charges: { status: 409 },
} as const satisfies Readonly<Record<string, Meaning>>;

export type BillingErrorCode = keyof typeof billingErrors;
