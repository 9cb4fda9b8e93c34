import { z } from 'zod';
import { RigName } from '../catalog/rate-card.events.js';
import { TOKEN_PARTS } from '../token-meters.js';
import { UsageDoubts } from '../token-usage.vocabulary.js';
import { defineEvent, type EventOf } from '../definition.js';
import { HoldId, PriceLine, USED_UNITS_MAX, UsedUnits } from '../hold.vocabulary.js';
import { AccountId, Instant, Sha256Hex, UserId } from '../vocabulary.js';

/**
 * The life of an agent session: one stream `agentsession-<sessionId>`. Its work is a job with the
 * same id. Goal, plans, arguments and results are in blobs that the key of the user
 * seals; the events name them.
 */

export const AgentSessionId = z.uuid().brand<'AgentSessionId'>();
export type AgentSessionId = z.infer<typeof AgentSessionId>;

export const AGENT_STEPS_MAX = 64;
export const AGENT_TOOLS_MAX = 128;

/** A part of the transcript: JSON, sealed. */
export const TranscriptPart = z.strictObject({
  address: Sha256Hex,
  bytes: z.int().nonnegative(),
});
export type TranscriptPart = z.infer<typeof TranscriptPart>;

/** As models call it; the names of an MCP server's tools begin with the name of the server. */
export const ToolName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

const Step = z.int().min(1).max(AGENT_STEPS_MAX);
const Code = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);
const Model = z.string().min(1).max(256);

const ofSession = { sessionId: AgentSessionId, accountId: AccountId };

export const AgentSessionStarted = defineEvent('AgentSessionStarted', {
  version: 1,
  schema: z.strictObject({
    ...ofSession,
    /** Who began it: the key of this user seals the transcript. */
    userId: UserId,
    goal: TranscriptPart,
    plannerModel: Model,
    /** The tools that the planner may call. */
    tools: z.array(ToolName).max(AGENT_TOOLS_MAX),
    stepsMax: Step,
    tokensMax: z.int().positive(),
    holdId: HoldId,
    /** The lines that are held for the planner, for the whole session. */
    held: z.array(PriceLine),
    rateCardVersion: z.int().positive(),
    /** The deadline of the hold; each call of a tool moves it by a second. */
    heldUntil: Instant,
    startedAt: Instant,
  }),
});
export type AgentSessionStarted = EventOf<typeof AgentSessionStarted>;

/** The tokens of one question to the planner. */
export const PlanUsage = z.strictObject({
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  /** The counter: the rig, or Quipu from the delivered text. */
  source: z.enum(['provider', 'counted']),
  /** The tokens among them of the classes that the rig states. */
  parts: z.partialRecord(z.enum(TOKEN_PARTS), z.int().nonnegative()).exactOptional(),
  /** Why the charge is lower than the stated usage could mean. */
  doubts: UsageDoubts.exactOptional(),
});
export type PlanUsage = z.infer<typeof PlanUsage>;

/** The planner has said what comes next. */
export const AgentStepPlanned = defineEvent('AgentStepPlanned', {
  version: 1,
  schema: z.strictObject({
    ...ofSession,
    step: Step,
    /** `invalid`: the planner has said nothing that can be carried out. */
    action: z.enum(['tool', 'answer', 'invalid']),
    /** Null unless a tool is called. */
    tool: ToolName.nullable(),
    /** The id of the call: every repeat of it is the same call. Null unless a tool is called. */
    callId: z.uuid().nullable(),
    plan: TranscriptPart,
    usage: PlanUsage,
    /** The same tokens by class, each at its price. */
    used: z.array(UsedUnits).max(USED_UNITS_MAX),
    /** The rig that answered. */
    rig: RigName,
    /** The model that the rig says answered; null where it does not say. */
    modelAnswered: Model.nullable(),
    plannedAt: Instant,
  }),
});
export type AgentStepPlanned = EventOf<typeof AgentStepPlanned>;

/** Written before the work of a call, once its worst case is held. */
export const AgentToolCalled = defineEvent('AgentToolCalled', {
  version: 1,
  schema: z.strictObject({
    ...ofSession,
    step: Step,
    tool: ToolName,
    callId: z.uuid(),
    /** The worst case of the call, under the name of its step; empty for a free call. */
    held: z.array(PriceLine),
    calledAt: Instant,
  }),
});
export type AgentToolCalled = EventOf<typeof AgentToolCalled>;

/** The planner may see the result of a call, or why there is none. */
export const AgentToolReturned = defineEvent('AgentToolReturned', {
  version: 1,
  schema: z.strictObject({
    ...ofSession,
    step: Step,
    tool: ToolName,
    callId: z.uuid(),
    /** Whether the call was made: false for one that was rejected before its work. */
    executed: z.boolean(),
    outcome: z.enum(['succeeded', 'failed']),
    /** Why it failed. */
    code: Code.nullable(),
    observation: TranscriptPart,
    /** Never above the hold of the call. */
    used: z.array(UsedUnits),
    /** The measurements of the tool; null for a missing one. */
    counters: z.record(z.string(), z.number().nullable()),
    usageDoubts: UsageDoubts.exactOptional(),
    returnedAt: Instant,
  }),
});
export type AgentToolReturned = EventOf<typeof AgentToolReturned>;

export const AgentEnd = z.enum(['completed', 'budget_exhausted', 'failed', 'cancelled']);
export type AgentEnd = z.infer<typeof AgentEnd>;

/** The last event of the work; the charge follows from it. */
export const AgentSessionEnded = defineEvent('AgentSessionEnded', {
  version: 1,
  schema: z.strictObject({
    ...ofSession,
    status: AgentEnd,
    /** `answered`, `max_steps`, `max_token_budget`, `cancelled`, or the code of a failure. */
    reason: Code,
    endedAt: Instant,
    /** The transcript is kept until then. */
    transcriptUntil: Instant,
  }),
});
export type AgentSessionEnded = EventOf<typeof AgentSessionEnded>;

/** The transcript is no longer kept. */
export const AgentTranscriptReleased = defineEvent('AgentTranscriptReleased', {
  version: 1,
  schema: z.strictObject({ ...ofSession, releasedAt: Instant }),
});
export type AgentTranscriptReleased = EventOf<typeof AgentTranscriptReleased>;

export type AgentSessionEvent =
  | AgentSessionStarted
  | AgentStepPlanned
  | AgentToolCalled
  | AgentToolReturned
  | AgentSessionEnded
  | AgentTranscriptReleased;

export const agentSessionEvents = [
  AgentSessionStarted,
  AgentStepPlanned,
  AgentToolCalled,
  AgentToolReturned,
  AgentSessionEnded,
  AgentTranscriptReleased,
] as const;
