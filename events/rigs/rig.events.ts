import { z } from 'zod';
import { ModelId, RigName } from '../catalog/rate-card.events.js';
import { defineEvent, type EventOf } from '../definition.js';
import { RIG_KINDS } from '../rig-kinds.js';
import { WorkerRigDescription } from '../fleet/worker-rig.events.js';
import { Instant } from '../vocabulary.js';

/** The certifications of a rig, of the catalog or of a worker: one stream `rig-<name>`. */

export const Badge = z.enum(['gold', 'silver', 'bronze', 'none']);
export type Badge = z.infer<typeof Badge>;

/** The requirements of one badge. Null: the quantity does not matter. */
export const BadgeThreshold = z.strictObject({
  badge: Badge.exclude(['none']),
  firstTokenMsMax: z.number().positive().nullable(),
  /** Of one stream. */
  tokensPerSecondMin: z.number().positive().nullable(),
  /** Of all concurrent streams together. */
  tokensPerSecondConcurrentMin: z.number().positive().nullable(),
});
export type BadgeThreshold = z.infer<typeof BadgeThreshold>;

/** Null: not measured. */
export const RigMeasurements = z.strictObject({
  /** The median of the samples. */
  firstTokenMs: z.number().nonnegative().nullable(),
  /** How many answers gave the median. */
  firstTokenSamples: z.int().nonnegative(),
  /** Output tokens of one stream, from the request to its end. */
  tokensPerSecond: z.number().nonnegative().nullable(),
  /** How many streams ran at once for the next quantity. */
  concurrentStreams: z.int().min(2).nullable(),
  /** Output tokens of all these streams, from the first request to the last end. */
  tokensPerSecondConcurrent: z.number().nonnegative().nullable(),
  /** Whether the same question twice had the same answer, with the same, plausible usage. */
  isAnswerConsistent: z.boolean().nullable(),
});
export type RigMeasurements = z.infer<typeof RigMeasurements>;

/** A model that the catalog says the rig serves, or whose file its worker names. */
export const CertifiedModel = z.strictObject({
  /** The id in the catalog. */
  id: ModelId,
  /** Whether the rig lists it, or has the very same file; null: not measured. */
  isListed: z.boolean().nullable(),
});
export type CertifiedModel = z.infer<typeof CertifiedModel>;

/** Why a quantity was not measured. */
export const MeasuringProblem = z.strictObject({
  quantity: z.enum([
    'models',
    'answer',
    'first_token',
    'tokens_per_second',
    'tokens_per_second_concurrent',
  ]),
  message: z.string().max(500),
});
export type MeasuringProblem = z.infer<typeof MeasuringProblem>;

/** Everything that was measured of a rig. */
export const measuredFacts = {
  rig: RigName,
  kind: z.enum([...RIG_KINDS, 'worker']),
  /** The description by the worker before and after; null for a rig of the catalog. */
  description: WorkerRigDescription.nullable(),
  models: z.array(CertifiedModel),
  /** The catalog id of the model that answered; null: the rig has none. */
  measuredModel: ModelId.nullable(),
  measurements: RigMeasurements,
  problems: z.array(MeasuringProblem),
  measuredAt: Instant,
};

export const RigCertified = defineEvent('RigCertified', {
  version: 1,
  schema: z.strictObject({
    /** The job that measured. */
    certificationId: z.uuid(),
    ...measuredFacts,
    badge: Badge,
    /** Those in force, the best badge first. */
    thresholds: z.array(BadgeThreshold),
    /** The badge is worth nothing from then on. */
    expiresAt: Instant,
  }),
});
export type RigCertified = EventOf<typeof RigCertified>;

export const rigEvents = [RigCertified] as const;
