import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { HoldLabels, PriceLine, USED_UNITS_MAX, UsedUnits } from '../hold.vocabulary.js';
import { UsageDoubts } from '../token-usage.vocabulary.js';
import { AccountId, Instant, MicroUsdDecimal } from '../vocabulary.js';
import {
  NodeName,
  NodePath,
  WorkflowBlob,
  WorkflowId,
  WorkflowPlan,
} from './workflow.vocabulary.js';

/**
 * A run of a workflow: one stream `workflowrun-<runId>`, and the hold of the same id. Parameters,
 * inputs and outputs are in blobs.
 */
const ofRun = { runId: z.uuid(), accountId: AccountId, startedAt: Instant };

const Attempt = z.int().positive();
const Code = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);
const Message = z.string().max(500);

export const WorkflowRunStarted = defineEvent('WorkflowRunStarted', {
  version: 1,
  schema: z.strictObject({
    ...ofRun,
    workflowId: WorkflowId,
    version: z.int().positive(),
    plan: WorkflowPlan,
    definition: WorkflowBlob,
    inputs: WorkflowBlob,
    /** As in the context of commands: `user:<id>`. */
    startedBy: z.string().max(100),
    ...HoldLabels.shape,
    /** Then whatever has not ended is cancelled. */
    runUntil: Instant,
  }),
});
export type WorkflowRunStarted = EventOf<typeof WorkflowRunStarted>;

/**
 * The hold that the run asks the ledger for, before it asks: a repeat after a crash is the same
 * order. The first one opens the hold, the others renew it.
 */
export const WorkflowRunFunded = defineEvent('WorkflowRunFunded', {
  version: 1,
  schema: z.strictObject({
    ...ofRun,
    /** The node that needs it; null for the estimate at the start, and for more time only. */
    node: NodePath.nullable(),
    lines: z.array(PriceLine),
    rateCardVersion: z.int().positive(),
    expiresAt: Instant,
    fundedAt: Instant,
  }),
});
export type WorkflowRunFunded = EventOf<typeof WorkflowRunFunded>;

/** An attempt of a node begins; for a map node, `items` further nodes come into being. */
export const WorkflowNodeStarted = defineEvent('WorkflowNodeStarted', {
  version: 1,
  schema: z.strictObject({
    ...ofRun,
    node: NodePath,
    attempt: Attempt,
    /** Equal in every attempt: a tool with an effect acts once. Null: no tool is called. */
    callId: z.uuid().nullable(),
    items: z.int().nonnegative().nullable(),
    /** Of its parameters with their references replaced; of a map, of its list of items. */
    expandedBytes: z.int().nonnegative(),
    /** The end of a wait, or the time-out of an attempt or of an approval. */
    until: Instant.nullable(),
    beganAt: Instant,
  }),
});
export type WorkflowNodeStarted = EventOf<typeof WorkflowNodeStarted>;

/** An attempt failed, and another one follows. */
export const WorkflowAttemptFailed = defineEvent('WorkflowAttemptFailed', {
  version: 1,
  schema: z.strictObject({
    ...ofRun,
    node: NodePath,
    attempt: Attempt,
    code: Code,
    message: Message,
    /** Its usage when it was aborted. */
    used: z.array(UsedUnits).max(USED_UNITS_MAX),
    usageDoubts: UsageDoubts.exactOptional(),
    failedAt: Instant,
    retryAt: Instant,
  }),
});
export type WorkflowAttemptFailed = EventOf<typeof WorkflowAttemptFailed>;

/** `upstream_failed`: a node before it failed, as its trigger rule does not allow. */
export const NodeEnd = z.enum(['succeeded', 'failed', 'skipped', 'upstream_failed', 'cancelled']);
export type NodeEnd = z.infer<typeof NodeEnd>;

export const WorkflowNodeEnded = defineEvent('WorkflowNodeEnded', {
  version: 1,
  schema: z.strictObject({
    ...ofRun,
    node: NodePath,
    status: NodeEnd,
    /** Why; null for a node that succeeded. */
    code: Code.nullable(),
    message: Message.nullable(),
    output: WorkflowBlob.nullable(),
    /** Of a branch: the nodes after it that may run. Null for every other node. */
    chosen: z.array(NodeName).max(100).nullable(),
    /** Of the last attempt, also of one that was aborted. */
    used: z.array(UsedUnits).max(USED_UNITS_MAX),
    usageDoubts: UsageDoubts.exactOptional(),
    /** As the tool measured them; null: not measured. */
    counters: z.record(z.string(), z.number().nullable()),
    endedAt: Instant,
  }),
});
export type WorkflowNodeEnded = EventOf<typeof WorkflowNodeEnded>;

/** The end of the run aborted a call, which had used something by then. */
export const WorkflowCallAborted = defineEvent('WorkflowCallAborted', {
  version: 1,
  schema: z.strictObject({
    ...ofRun,
    node: NodePath,
    attempt: Attempt,
    used: z.array(UsedUnits).min(1).max(USED_UNITS_MAX),
    usageDoubts: UsageDoubts.exactOptional(),
    abortedAt: Instant,
  }),
});
export type WorkflowCallAborted = EventOf<typeof WorkflowCallAborted>;

/** A process begins to work on the run. A process that dies does not write that it has left it. */
export const WorkflowRunTaken = defineEvent('WorkflowRunTaken', {
  version: 1,
  schema: z.strictObject({ ...ofRun, takenAt: Instant }),
});
export type WorkflowRunTaken = EventOf<typeof WorkflowRunTaken>;

/** A process has stopped its work on the run in order: it stops, or the run waits. */
export const WorkflowRunLeft = defineEvent('WorkflowRunLeft', {
  version: 1,
  schema: z.strictObject({ ...ofRun, leftAt: Instant }),
});
export type WorkflowRunLeft = EventOf<typeof WorkflowRunLeft>;

export const WorkflowApprovalDecided = defineEvent('WorkflowApprovalDecided', {
  version: 1,
  schema: z.strictObject({
    ...ofRun,
    node: NodeName,
    isApproved: z.boolean(),
    decidedBy: z.string().max(100),
    decidedAt: Instant,
  }),
});
export type WorkflowApprovalDecided = EventOf<typeof WorkflowApprovalDecided>;

/** `parked`: processes that worked on it ended again and again; none takes it any more. */
export const RunEnd = z.enum(['completed', 'failed', 'cancelled', 'timed_out', 'parked']);
export type RunEnd = z.infer<typeof RunEnd>;

export const WorkflowRunEnded = defineEvent('WorkflowRunEnded', {
  version: 1,
  schema: z.strictObject({ ...ofRun, status: RunEnd, endedAt: Instant }),
});
export type WorkflowRunEnded = EventOf<typeof WorkflowRunEnded>;

export const WorkflowRunSettled = defineEvent('WorkflowRunSettled', {
  version: 1,
  schema: z.strictObject({
    ...ofRun,
    /** `uncollected`: the hold had expired, and the account could not pay. */
    outcome: z.enum(['charged', 'free', 'uncollected']),
    amountMicroUsd: MicroUsdDecimal,
    settledAt: Instant,
  }),
});
export type WorkflowRunSettled = EventOf<typeof WorkflowRunSettled>;

/** Inputs and outputs are no longer kept. */
export const WorkflowRunForgotten = defineEvent('WorkflowRunForgotten', {
  version: 1,
  schema: z.strictObject({ ...ofRun, forgottenAt: Instant }),
});
export type WorkflowRunForgotten = EventOf<typeof WorkflowRunForgotten>;

export type WorkflowRunEvent =
  | WorkflowRunStarted
  | WorkflowRunFunded
  | WorkflowNodeStarted
  | WorkflowAttemptFailed
  | WorkflowNodeEnded
  | WorkflowCallAborted
  | WorkflowRunTaken
  | WorkflowRunLeft
  | WorkflowApprovalDecided
  | WorkflowRunEnded
  | WorkflowRunSettled
  | WorkflowRunForgotten;

export const workflowRunEvents = [
  WorkflowRunStarted,
  WorkflowRunFunded,
  WorkflowNodeStarted,
  WorkflowAttemptFailed,
  WorkflowNodeEnded,
  WorkflowCallAborted,
  WorkflowRunTaken,
  WorkflowRunLeft,
  WorkflowApprovalDecided,
  WorkflowRunEnded,
  WorkflowRunSettled,
  WorkflowRunForgotten,
] as const;
