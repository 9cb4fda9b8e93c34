import { z } from 'zod';
import { Sha256Hex } from '../vocabulary.js';
import { ProofKeyId, ProofScheme } from './proof-key.events.js';

/** The evidence of a verification in the events of its hold. */

const asked = {
  keyId: ProofKeyId,
  keySha256: Sha256Hex,
  scheme: ProofScheme,
  proofs: z.int().positive(),
  /** Of the key, the proofs and their public signals, as canonical JSON. */
  claimsSha256: Sha256Hex,
};

export const ProofHoldEvidence = z.strictObject(asked);
export type ProofHoldEvidence = z.infer<typeof ProofHoldEvidence>;

export const ProofCaptureEvidence = z.strictObject({
  ...asked,
  /** `rejected`: a point or a number was read that no valid proof has. */
  outcome: z.enum(['verified', 'not_verified', 'rejected']),
});
export type ProofCaptureEvidence = z.infer<typeof ProofCaptureEvidence>;
