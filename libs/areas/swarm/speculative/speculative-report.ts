import { type SpeculationSource, type SpeculativeCounts } from '#events/swarm/swarm.evidence.js';

/** The report of an answer on its decoding. */
export interface SpeculativeReport {
  readonly model: string;
  /** Null where an upstream drafts by itself. */
  readonly draftModel: string | null;
  readonly generatorNode: string;
  readonly verifierNode: string;
  readonly counts: SpeculativeCounts | null;
  readonly source: SpeculationSource | null;
  /** Measured on earlier requests to the pair: null before that, and for an upstream. */
  readonly speedup: number | null;
  readonly comparedRequests: number;
}

/** In the names of the interface. */
export interface SpeculativeTelemetry {
  readonly draft_tokens_generated: number | null;
  readonly tokens_accepted: number | null;
  readonly acceptance_rate_pct: number | null;
  readonly speedup_ratio: string | null;
  readonly generator_node: string;
  readonly verifier_node: string;
  readonly draft_model: string | null;
  readonly target_calls: number | null;
  readonly target_calls_saved: number | null;
  readonly speedup_measured_requests: number;
  readonly telemetry_source: SpeculationSource | null;
}

/** Accepted over drafted tokens, in percent with two decimals; null where nothing was drafted. */
export const acceptancePercentOf = (counts: SpeculativeCounts | null): number | null =>
  counts && counts.draftTokens > 0
    ? Math.round((counts.acceptedTokens / counts.draftTokens) * 1e4) / 100
    : null;

export const telemetryOf = (report: SpeculativeReport): SpeculativeTelemetry => {
  const { counts, speedup } = report;
  const { targetCalls = null, plainCalls = null } = counts ?? {};
  return {
    draft_tokens_generated: counts?.draftTokens ?? null,
    tokens_accepted: counts?.acceptedTokens ?? null,
    acceptance_rate_pct: acceptancePercentOf(counts),
    speedup_ratio: speedup === null ? null : `${speedup.toFixed(2)}x`,
    generator_node: report.generatorNode,
    verifier_node: report.verifierNode,
    draft_model: report.draftModel,
    target_calls: targetCalls,
    target_calls_saved:
      targetCalls === null || plainCalls === null ? null : plainCalls - targetCalls,
    speedup_measured_requests: report.comparedRequests,
    telemetry_source: report.source,
  };
};
