import { AGREEMENT_METHOD } from './agreement.js';
import { type CostBranch } from './cost-tree.js';

export interface ReportedMember {
  readonly step: string;
  readonly model: string;
  readonly rig: string;
  readonly seed: number;
  /** Why it gave no answer; null for one that did. */
  readonly failure: string | null;
  readonly agrees: boolean;
}

/** The report of a consensus on itself. */
export interface ConsensusReport {
  readonly synthesisModel: string;
  readonly synthesizerNode: string;
  readonly members: readonly ReportedMember[];
  readonly confidence: number;
  readonly costTree: readonly CostBranch[];
}

/** In the names of the interface. */
export const consensusTelemetryOf = (report: ConsensusReport) => {
  const answered = report.members.filter(({ failure }) => failure === null);
  return {
    fanout_count: answered.length,
    synthesizer_node: report.synthesizerNode,
    participating_nodes: [...new Set(answered.map(({ rig }) => rig))],
    consensus_confidence: report.confidence,
    fanout_requested: report.members.length,
    synthesis_model: report.synthesisModel,
    agreement_method: AGREEMENT_METHOD,
    members: report.members.map(({ step, model, rig, seed, failure, agrees }) => ({
      step,
      model,
      seed,
      agrees,
      node: rig,
      status: failure === null ? 'answered' : 'failed',
      error: failure,
    })),
    cost_tree: report.costTree,
  };
};

/** The header with the cost of each step: `step;model;input;output;usd`, separated by commas. */
export const COST_TREE_HEADER = 'x-quipu-cost-tree';

export const costTreeHeader = ({ costTree }: ConsensusReport): Record<string, string> => ({
  [COST_TREE_HEADER]: costTree
    .map(({ step, model, input_tokens: input, output_tokens: output, cost_usd: usd }) =>
      [step, encodeURIComponent(model), input, output, usd].join(';'),
    )
    .join(','),
});
