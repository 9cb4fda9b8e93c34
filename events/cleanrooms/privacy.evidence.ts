import { z } from 'zod';
import { Sha256Hex } from '../vocabulary.js';

/** The evidence of a query of a clean room in the events of its hold. It names no row. */
export const PrivacyHoldEvidence = z.strictObject({
  cleanroomId: z.uuid(),
  queryHash: Sha256Hex,
});
export type PrivacyHoldEvidence = z.infer<typeof PrivacyHoldEvidence>;

export const PrivacyCaptureEvidence = z.strictObject({
  ...PrivacyHoldEvidence.shape,
  /** The spend that paid for the answer; of an earlier request where the answer was stored. */
  spendId: z.uuid(),
});
export type PrivacyCaptureEvidence = z.infer<typeof PrivacyCaptureEvidence>;
