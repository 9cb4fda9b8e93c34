import { z } from 'zod';
import { RigName } from '../catalog/rate-card.events.js';

/** The public fields of the job of a certification in the events of jobs. */

/** The name of its type. */
export const RIG_CERTIFICATION_JOB = 'rig-certification';

/** In `JobProgressed` and `JobCompleted`: the quantities that are done. */
export const CertificationProgress = z.strictObject({
  rig: RigName,
  quantities: z.int().nonnegative(),
});
export type CertificationProgress = z.infer<typeof CertificationProgress>;
