import { z } from 'zod';
import { ModelId, RigName } from '../catalog/rate-card.events.js';
import { defineEvent, type EventOf } from '../definition.js';
import { HoldId, TraceParent } from '../hold.vocabulary.js';
import { TOKEN_PARTS } from '../token-meters.js';
import { AccountId, Instant } from '../vocabulary.js';

/**
 * What attempts at rigs cost the operator: streams `costs-<process>`, one for each process that
 * asks rigs. No customer reads them.
 */

/** Pico-dollars (1 USD = 10^12) as a decimal string; never negative. */
export const PicoUsdDecimal = z.string().regex(/^(0|[1-9]\d{0,29})$/);

/** Attempts in one event. */
export const ATTEMPTS_MAX = 256;

const Tokens = z.int().nonnegative();

export const RigAttempt = z.strictObject({
  /** Null: work of the platform itself. */
  accountId: AccountId.nullable(),
  /** The hold that pays for it; null where a charge pays for several requests, or none does. */
  holdId: HoldId.nullable(),
  model: ModelId,
  /** The model id in the request to the rig. */
  sent: z.string().min(1).max(256),
  rig: RigName,
  outcome: z.enum([
    'answered',
    'unreachable',
    'timed-out',
    'overloaded',
    'failed',
    'refused',
    'malformed',
    'broken-off',
    'cancelled',
  ]),
  /** Null: neither stated nor counted. */
  usage: z
    .strictObject({
      /** All input and all output; the parts are of them. */
      inputTokens: Tokens,
      outputTokens: Tokens,
      parts: z.partialRecord(z.enum(TOKEN_PARTS), Tokens).exactOptional(),
      source: z.enum(['provider', 'counted']),
    })
    .nullable(),
  /** Null: unknown. `stated` by the provider, or `computed` from the catalog's purchase price. */
  cost: z
    .strictObject({ basis: z.enum(['stated', 'computed']), picoUsd: PicoUsdDecimal })
    .nullable(),
  /** The trace that the caller named. Absent: none. */
  trace: TraceParent.exactOptional(),
  startedAt: Instant,
  endedAt: Instant,
});
export type RigAttempt = z.infer<typeof RigAttempt>;

export const RigAttemptsRecorded = defineEvent('RigAttemptsRecorded', {
  version: 1,
  schema: z.strictObject({
    attempts: z.array(RigAttempt).max(ATTEMPTS_MAX),
    /** Attempts of this process that could not be kept since its last event. */
    lost: z.int().nonnegative(),
    recordedAt: Instant,
  }),
});
export type RigAttemptsRecorded = EventOf<typeof RigAttemptsRecorded>;

export const costEvents = [RigAttemptsRecorded] as const;
