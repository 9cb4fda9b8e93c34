import { z } from 'zod';
import { RigName } from '#events/catalog/rate-card.events.js';
import { measuredFacts } from '#events/rigs/rig.events.js';

/** The input of the job. */
export const CertificationInput = z.strictObject({ rig: RigName });
export type CertificationInput = z.infer<typeof CertificationInput>;

/** Its result. */
export const MeasuredFacts = z.strictObject(measuredFacts);
export type MeasuredFacts = z.infer<typeof MeasuredFacts>;
