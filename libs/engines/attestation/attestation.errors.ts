/** Why evidence, a receipt or an attester is not usable. */
export type AttestationFailure =
  | 'attester_unavailable'
  | 'evidence_malformed'
  | 'evidence_rejected'
  | 'receipt_malformed'
  | 'receipt_signature_invalid'
  | 'receipt_signer_unknown'
  | 'receipt_expired'
  | 'receipt_not_yet_valid'
  | 'receipt_nonce_mismatch'
  | 'receipt_overstated';

/** An error of this engine; `code` is stable, the message says more. */
export class AttestationError extends Error {
  override readonly name = 'AttestationError';

  constructor(
    readonly code: AttestationFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** @throws AttestationError `evidence_rejected` unless the condition holds */
export function demandEvidence(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AttestationError('evidence_rejected', message);
}
