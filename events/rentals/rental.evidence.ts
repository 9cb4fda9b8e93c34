import { z } from 'zod';
import { RigName } from '../catalog/rate-card.events.js';
import { RentalNumber } from './rental.job.js';

/** The proof of the hold of a rental. */
export const RentalHoldEvidence = z.strictObject({ number: RentalNumber, rig: RigName });
export type RentalHoldEvidence = z.infer<typeof RentalHoldEvidence>;

/** The proof of the charge of a rental. */
export const RentalCaptureEvidence = RentalHoldEvidence.extend({
  rentalId: z.uuid(),
  outcome: z.enum(['completed', 'failed', 'cancelled', 'timed_out']),
  /** How often its program was started. */
  attempts: z.int().nonnegative(),
});
export type RentalCaptureEvidence = z.infer<typeof RentalCaptureEvidence>;
