import { INPUT_METER, OUTPUT_METER } from '#events/token-meters.js';
import {
  PipelineCaptureEvidence,
  PipelineHoldEvidence,
} from '#events/sharding/pipeline.evidence.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { TOKEN_UNITS_IN_WORDS } from '#platform/ledger/token-units.js';
import { requestPriceOf } from '#platform/ledger/price-card.js';
import { defineProduct } from '#platform/ledger/product.js';

/** An answer of a model whose layers are divided among processes. */
export const pipelineProduct = defineProduct({
  purpose: 'pipeline_completion',
  group: 'inference',
  paced: true,
  title: 'Chat completions of sharded pipelines',
  meters: TOKEN_UNITS_IN_WORDS,
  unitPrice: requestPriceOf,
  holdEvidence: PipelineHoldEvidence,
  captureEvidence: PipelineCaptureEvidence,
});

/** Tokens that are held, or charged. */
export interface TokenCounts {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The tokens of the lines. */
export const tokensOf = (lines: readonly PriceLine[]): TokenCounts => {
  const of = (meter: string): number =>
    lines.reduce((sum, line) => (line.meter === meter ? sum + line.quantity : sum), 0);
  return { promptTokens: of(INPUT_METER), completionTokens: of(OUTPUT_METER) };
};
