import { z } from 'zod';
import { RigName } from '../catalog/rate-card.events.js';
import { UsageDoubts } from '../token-usage.vocabulary.js';
import { KeyedHash } from '../vocabulary.js';

/** The evidence of language models that work together in the events of their holds. */

const ModelName = z.string().min(1).max(256);
const Count = z.int().nonnegative();

/** By which the telemetry of a speculative answer can be computed again. */
export const SpeculativeCounts = z.strictObject({
  draftTokens: Count,
  /** The token that the target adds is not counted. */
  acceptedTokens: Count,
  /** Evaluations of the target; null where the upstream does not say. */
  targetCalls: Count.nullable(),
  /** Evaluations that plain decoding would have needed; null where the upstream does not say. */
  plainCalls: Count.nullable(),
});
export type SpeculativeCounts = z.infer<typeof SpeculativeCounts>;

/** Who counted: the engine, the upstream for this request, or the upstream's counters. */
export const SpeculationSource = z.enum(['engine', 'upstream_request', 'upstream_counters']);
export type SpeculationSource = z.infer<typeof SpeculationSource>;

const speculative = {
  model: ModelName,
  /** Null where an upstream drafts by itself. */
  draftModel: ModelName.nullable(),
};

export const SpeculativeHoldEvidence = z.strictObject(speculative);
export type SpeculativeHoldEvidence = z.infer<typeof SpeculativeHoldEvidence>;

export const SpeculativeCaptureEvidence = z.strictObject({
  ...speculative,
  /** Tokens drafted for each evaluation of the target; null where an upstream decides. */
  draftTokensMax: z.int().positive().nullable(),
  /** Null where nothing was measured. */
  counts: SpeculativeCounts.nullable(),
  source: SpeculationSource.nullable(),
  promptHash: KeyedHash,
  /** Null where the caller left before the first text. */
  replyHash: KeyedHash.nullable(),
  usageDoubts: UsageDoubts.exactOptional(),
});
export type SpeculativeCaptureEvidence = z.infer<typeof SpeculativeCaptureEvidence>;

const Member = z.strictObject({
  /** The step of its lines. */
  step: z.string().min(1).max(64),
  model: ModelName,
  /** That was asked. */
  rig: RigName,
  seed: Count,
});

const consensus = { synthesisModel: ModelName };

export const ConsensusHoldEvidence = z.strictObject({
  ...consensus,
  members: z.array(Member).min(1),
});
export type ConsensusHoldEvidence = z.infer<typeof ConsensusHoldEvidence>;

export const ConsensusMemberEvidence = Member.extend({
  /** Null for a member that gave no answer. */
  replyHash: KeyedHash.nullable(),
  /** Whether it belongs to the largest cluster of proposals that agree. */
  agrees: z.boolean(),
});
export type ConsensusMemberEvidence = z.infer<typeof ConsensusMemberEvidence>;

export const ConsensusCaptureEvidence = z.strictObject({
  ...consensus,
  members: z.array(ConsensusMemberEvidence).min(1),
  /** Proposals with a lexical cosine of at least this many percent agree. */
  agreementPercent: z.int().min(0).max(100),
  promptHash: KeyedHash,
  /** Null where the caller left before the first text. */
  replyHash: KeyedHash.nullable(),
  usageDoubts: UsageDoubts.exactOptional(),
});
export type ConsensusCaptureEvidence = z.infer<typeof ConsensusCaptureEvidence>;
