import { ExplainRequestQuery } from '#areas/billing/explanations/explain-request.handler.js';
import { costTreeOf } from '#areas/swarm/consensus/cost-tree.js';
import { acceptancePercentOf } from '#areas/swarm/speculative/speculative-report.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import {
  ConsensusCaptureEvidence,
  SpeculativeCaptureEvidence,
} from '#events/swarm/swarm.evidence.js';
import { CommandFailure } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';

export interface ExplainSwarmOptions extends CommonOptions {
  readonly request: string;
}

/** The charge for an answer in the log. */
interface Charge {
  readonly amountMicroUsd: string;
  readonly lines: readonly ChargedLine[];
  readonly rig: string | null;
  readonly evidence: unknown;
}

export const explainSwarm = async (
  { request }: ExplainSwarmOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const charge = await chargeOf(request, invocation);
  const consensus = ConsensusCaptureEvidence.safeParse(charge.evidence);
  if (consensus.success) return explainConsensus(charge, consensus.data);
  const speculative = SpeculativeCaptureEvidence.safeParse(charge.evidence);
  if (speculative.success) return explainSpeculative(charge, speculative.data);
  throw noEvidence(request);
};

const chargeOf = async (request: string, invocation: Invocation): Promise<Charge> => {
  const needs = { areas: ['billing'], installation: 'exists', projections: [] } as const;
  const found = await withQuipu(invocation, needs, ({ queries }) =>
    queries.execute(new ExplainRequestQuery(request, null)),
  );
  const events = found.kind === 'admitted' ? found.events.map(({ event }) => event) : [];
  const charge = events.find(({ type }) => type === 'HoldCaptured');
  if (charge?.type === 'HoldCaptured') return charge.data;
  throw noEvidence(request);
};

const explainConsensus = (
  { lines, rig, amountMicroUsd }: Charge,
  { members, agreementPercent }: ConsensusCaptureEvidence,
): Outcome => {
  const answered = members.filter(({ replyHash }) => replyHash !== null);
  const agreeing = answered.filter(({ agrees }) => agrees);
  const confidence = agreeing.length / Math.max(1, answered.length);
  // Where one rig did all the work, the charge names it once.
  const tree = costTreeOf(lines).map((one) => ({ ...one, rig: one.rig ?? rig }));
  const rows = tree.map(({ step, model, cost_usd: usd }) => `${step}: ${model}, ${usd} USD`);
  return {
    json: {
      consensus_confidence: confidence,
      fanout_count: answered.length,
      fanout_requested: members.length,
      agreement_percent: agreementPercent,
      cost_tree: tree,
      charged_micro_usd: amountMicroUsd,
    },
    text: [...rows, `confidence: ${agreeing.length} of ${answered.length}`].join('\n'),
  };
};

const explainSpeculative = (
  { amountMicroUsd }: Charge,
  { model, draftModel, counts, source }: SpeculativeCaptureEvidence,
): Outcome => {
  const acceptance = acceptancePercentOf(counts);
  return {
    json: {
      model,
      draft_model: draftModel,
      draft_tokens_generated: counts?.draftTokens ?? null,
      tokens_accepted: counts?.acceptedTokens ?? null,
      acceptance_rate_pct: acceptance,
      telemetry_source: source,
      charged_micro_usd: amountMicroUsd,
    },
    text: `${model} with ${draftModel ?? 'a draft of its rig'}: accepted ${acceptance ?? '?'} %`,
  };
};

const noEvidence = (request: string): CommandFailure =>
  new CommandFailure('no_evidence', `the log has no charge of such an answer for ${request}`);
