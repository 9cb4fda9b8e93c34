import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant } from '../vocabulary.js';

/** The last position of a read model in another log, or in a later state of this one. */
export const LostPlace = z.strictObject({
  /** Of the checkpoint. */
  reader: z.string().min(1).max(200),
  position: z.string().regex(/^(0|[1-9]\d{0,18})$/),
  /** The mark of its last event; null where the read store has none. */
  event: z.string().max(600).nullable(),
});
export type LostPlace = z.infer<typeof LostPlace>;

/**
 * An operator says that this log counts, although read models or running processes have read more,
 * or another one.
 */
export const LogConfirmed = defineEvent('LogConfirmed', {
  version: 1,
  schema: z.strictObject({
    /** Of read models; empty where only running processes have read more. */
    lost: z.array(LostPlace).max(500),
    reason: z.string().min(1).max(500),
    confirmedAt: Instant,
  }),
});
export type LogConfirmed = EventOf<typeof LogConfirmed>;

export const logEvents = [LogConfirmed] as const;
