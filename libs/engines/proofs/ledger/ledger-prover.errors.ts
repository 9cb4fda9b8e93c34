/** `elsewhere`: a machine with the prover and its key may succeed. */
export const LEDGER_PROVER_FAILURES = {
  prover_missing: 'elsewhere',
  statement_false: 'final',
  proof_failed: 'final',
  crashed: 'elsewhere',
  closed: 'elsewhere',
} as const;
export type LedgerProverFailure = keyof typeof LEDGER_PROVER_FAILURES;

/** Errors of the prover; `code` is the code of the failed task. */
export class LedgerProverError extends Error {
  override readonly name = 'LedgerProverError';

  constructor(
    readonly code: LedgerProverFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
