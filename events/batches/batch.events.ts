import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { UsageDoubts } from '../token-usage.vocabulary.js';
import { AccountId, Instant, Meter, UserId } from '../vocabulary.js';

/**
 * The life of a batch: one stream `batch-<batchId>`. Its work is a job with the same id. No line of
 * an input or output is in an event: those are in files.
 */

export const BatchId = z.uuid().brand<'BatchId'>();
export type BatchId = z.infer<typeof BatchId>;

/** A mistake in the input file, or why the batch could not end otherwise. */
export const BatchFault = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  message: z.string().max(1_000),
  /** The field at fault. */
  param: z.string().max(256).nullable(),
  /** Counted from 1; null for a fault of the whole. */
  line: z.int().positive().nullable(),
});
export type BatchFault = z.infer<typeof BatchFault>;

/** At most this many faults are recorded. */
export const FAULTS_MAX = 100;

export const BatchCounts = z.strictObject({
  total: z.int().nonnegative(),
  completed: z.int().nonnegative(),
  failed: z.int().nonnegative(),
});
export type BatchCounts = z.infer<typeof BatchCounts>;

/** The usage of the completed lines. */
export const BatchUsage = z.strictObject({ meter: Meter, quantity: z.int().nonnegative() });
export type BatchUsage = z.infer<typeof BatchUsage>;

const FileId = z.string().min(1).max(128);

const ofBatch = { batchId: BatchId, accountId: AccountId };

export const BatchCreated = defineEvent('BatchCreated', {
  version: 1,
  schema: z.strictObject({
    ...ofBatch,
    /** Who created it: metadata, results and files are sealed with the key of this user. */
    userId: UserId,
    /** The path that every line asks, such as `/v1/chat/completions`. */
    endpoint: z.string().min(1).max(128),
    inputFileId: FileId,
    completionWindow: z.enum(['24h']),
    /** JSON; null for none. */
    sealedMetadata: z.string().nullable(),
    /** Of the output and error files; null: they stay. */
    outputExpiresAfterSeconds: z.int().positive().nullable(),
    /** Null for a batch whose input is not valid. */
    model: z.string().min(1).max(256).nullable(),
    lines: z.int().nonnegative(),
    createdAt: Instant,
    /** Lines that have not run by then do not run. */
    expiresAt: Instant,
  }),
});
export type BatchCreated = EventOf<typeof BatchCreated>;

/** The first attempt of its job has begun. */
export const BatchStarted = defineEvent('BatchStarted', {
  version: 1,
  schema: z.strictObject({ ...ofBatch, startedAt: Instant }),
});
export type BatchStarted = EventOf<typeof BatchStarted>;

export const BatchCancellationRequested = defineEvent('BatchCancellationRequested', {
  version: 1,
  schema: z.strictObject({ ...ofBatch, requestedAt: Instant }),
});
export type BatchCancellationRequested = EventOf<typeof BatchCancellationRequested>;

/** The completion window is over before every line has run. */
export const BatchWindowClosed = defineEvent('BatchWindowClosed', {
  version: 1,
  schema: z.strictObject({ ...ofBatch, closedAt: Instant }),
});
export type BatchWindowClosed = EventOf<typeof BatchWindowClosed>;

/** Every line has run; the files are being written. */
export const BatchFinalizing = defineEvent('BatchFinalizing', {
  version: 1,
  schema: z.strictObject({ ...ofBatch, finalizingAt: Instant }),
});
export type BatchFinalizing = EventOf<typeof BatchFinalizing>;

/** The last event: the files are there. */
export const BatchEnded = defineEvent('BatchEnded', {
  version: 1,
  schema: z.strictObject({
    ...ofBatch,
    outcome: z.enum(['completed', 'failed', 'expired', 'cancelled']),
    /** Null without a completed line. */
    outputFileId: FileId.nullable(),
    /** Null when every line is completed. */
    errorFileId: FileId.nullable(),
    counts: BatchCounts,
    usage: z.array(BatchUsage),
    /** Of all its lines; the output file names the line. */
    usageDoubts: UsageDoubts.exactOptional(),
    /** Why it failed; at most 100. */
    faults: z.array(BatchFault).max(FAULTS_MAX),
    endedAt: Instant,
  }),
});
export type BatchEnded = EventOf<typeof BatchEnded>;

export type BatchEvent =
  | BatchCreated
  | BatchStarted
  | BatchCancellationRequested
  | BatchWindowClosed
  | BatchFinalizing
  | BatchEnded;

export const batchEvents = [
  BatchCreated,
  BatchStarted,
  BatchCancellationRequested,
  BatchWindowClosed,
  BatchFinalizing,
  BatchEnded,
] as const;
