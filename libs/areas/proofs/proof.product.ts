import { ProofCaptureEvidence, ProofHoldEvidence } from '#events/proofs/proof.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

export const PAIRINGS_METER = 'proof_pairings';

/** A verification of proofs under one key. */
export const proofProduct = defineProduct({
  purpose: 'proof_verification',
  group: 'compute',
  paced: true,
  title: 'Verified zero-knowledge proofs',
  meters: { [PAIRINGS_METER]: 'pairings: a Miller loop, with its part of the other work' },
  holdEvidence: ProofHoldEvidence,
  captureEvidence: ProofCaptureEvidence,
});
