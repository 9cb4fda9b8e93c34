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
const Milliseconds = z.int().nonnegative();

const listOf = <Entry extends z.ZodType>(entry: Entry): z.ZodArray<Entry> =>
  z.array(entry).max(ATTEMPTS_MAX);

/**
 * Attempts that have these names in common, as a table: each list has an entry for each attempt, in
 * one order. So an attempt takes a quarter of the bytes that it takes with names of its own.
 */
export const RigWork = z.strictObject({
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
  /** Null: the usage was neither stated nor counted, and the lists of tokens are empty. */
  usageSource: z.enum(['provider', 'counted']).nullable(),
  /**
   * `stated` by the provider, or `computed` from the catalog's purchase price. Null: the costs are
   * unknown, and their list is empty.
   */
  costBasis: z.enum(['stated', 'computed']).nullable(),
  /** Null: work of the platform itself. */
  accountIds: listOf(AccountId.nullable()),
  /** The hold that pays for it; null where a charge pays for several requests, or none does. */
  holdIds: listOf(HoldId.nullable()),
  /** From `since` of the event to the start of the attempt. */
  startedMs: listOf(Milliseconds),
  /** From its start to its end. */
  tookMs: listOf(Milliseconds),
  /** All input and all output; the parts are of them. */
  inputTokens: listOf(Tokens),
  outputTokens: listOf(Tokens),
  /** Null for an attempt without parts. Absent: none has any. */
  parts: listOf(z.partialRecord(z.enum(TOKEN_PARTS), Tokens).nullable()).exactOptional(),
  picoUsd: listOf(PicoUsdDecimal),
  /** The trace that the caller named, or null. Absent: no caller named one. */
  traces: listOf(TraceParent.nullable()).exactOptional(),
});
export type RigWork = z.infer<typeof RigWork>;

export const RigAttemptsRecorded = defineEvent('RigAttemptsRecorded', {
  version: 1,
  schema: z.strictObject({
    /** At most 256 attempts together. */
    work: z.array(RigWork).max(ATTEMPTS_MAX),
    /** When the first of them started. */
    since: Instant,
    /** Attempts of this process that could not be kept since its last event. */
    lost: z.int().nonnegative(),
    recordedAt: Instant,
  }),
});
export type RigAttemptsRecorded = EventOf<typeof RigAttemptsRecorded>;

export const costEvents = [RigAttemptsRecorded] as const;
