import { z } from 'zod';
import { defineEvent, type EventOf } from '#events/definition.js';
import { OwnModelSlug } from '../platform/own-model.events.js';
import { AccountId, Instant } from '../vocabulary.js';

const Named = z.strictObject({
  accountId: AccountId,
  jobId: z.uuid(),
  jobName: OwnModelSlug,
});

/** The account has used a name for a training, and the training has a number. */
export const TrainingOrdered = defineEvent('TrainingOrdered', {
  version: 1,
  schema: Named.extend({ number: z.int().positive(), orderedAt: Instant }),
});
export type TrainingOrdered = EventOf<typeof TrainingOrdered>;

/** Its job was rejected, so the name is free again; the number is not used twice. */
export const TrainingWithdrawn = defineEvent('TrainingWithdrawn', {
  version: 1,
  schema: Named.extend({ withdrawnAt: Instant }),
});
export type TrainingWithdrawn = EventOf<typeof TrainingWithdrawn>;

export type TrainingEvent = TrainingOrdered | TrainingWithdrawn;

export const trainingEvents = [TrainingOrdered, TrainingWithdrawn] as const;
