import { z } from 'zod';
import { BundleId, Priority } from './dtn.events.js';

/** The evidence of the custody of a bundle in the events of its hold. */

const ofBundle = {
  bundleId: BundleId,
  priority: Priority,
  /** As encoded. */
  bundleBytes: z.int().positive(),
};

export const CustodyHoldEvidence = z.strictObject({
  ...ofBundle,
  lifetimeSec: z.int().nonnegative(),
});
export type CustodyHoldEvidence = z.infer<typeof CustodyHoldEvidence>;

export const CustodyCaptureEvidence = z.strictObject({
  ...ofBundle,
  end: z.enum(['cancelled', 'expired', 'custody_transferred', 'delivered']),
  /** Each that has begun counts. */
  hours: z.int().positive(),
});
export type CustodyCaptureEvidence = z.infer<typeof CustodyCaptureEvidence>;
