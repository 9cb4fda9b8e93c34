/** Evidence is made and checked here; what is slow runs in a program of the machine. */
export {
  type Appraisal,
  appraise,
  type AttestationStatus,
  NO_REFERENCES,
  References,
} from '#engines/attestation/appraisal.js';
export { AttestationError } from '#engines/attestation/attestation.errors.js';
export { type Attester, SoftwareAttester } from '#engines/attestation/attester.js';
export { type Binding } from '#engines/attestation/binding.js';
export { type TeeType } from '#engines/attestation/evidence.js';
export { NitroAttester } from '#engines/attestation/nitro/nitro.attester.js';
export {
  claimsOf,
  Nonce,
  type ReceiptTrust,
  signReceipt,
  type VerifiedReceipt,
  verifyReceipt,
} from '#engines/attestation/receipt.js';
export { TpmAttester } from '#engines/attestation/tpm/tpm.attester.js';
