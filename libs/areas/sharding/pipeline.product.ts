import { INPUT_METER, OUTPUT_METER } from '#events/token-meters.js';
import {
  PipelineCaptureEvidence,
  PipelineHoldEvidence,
} from '#events/sharding/pipeline.evidence.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { TOKENS_PER_PRICE } from '#platform/ledger/token-price.js';
import { defineProduct } from '#platform/ledger/product.js';
import { type ShardedRate } from './sharded-models.port.js';

/** An answer of a model whose layers are divided among processes. */
export const pipelineProduct = defineProduct({
  purpose: 'pipeline_completion',
  group: 'inference',
  paced: true,
  title: 'Chat completions of sharded pipelines',
  meters: { [INPUT_METER]: 'tokens of the prompt', [OUTPUT_METER]: 'tokens of the answer' },
  holdEvidence: PipelineHoldEvidence,
  captureEvidence: PipelineCaptureEvidence,
});

/** Tokens that are held, or charged. */
export interface TokenCounts {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export const tokenLines = (
  { promptTokens, completionTokens }: TokenCounts,
  { inputMicroUsdPerMtok, outputMicroUsdPerMtok }: ShardedRate,
): PriceLine[] => [
  {
    meter: INPUT_METER,
    quantity: promptTokens,
    perUnits: TOKENS_PER_PRICE,
    unitPriceMicroUsd: inputMicroUsdPerMtok,
  },
  {
    meter: OUTPUT_METER,
    quantity: completionTokens,
    perUnits: TOKENS_PER_PRICE,
    unitPriceMicroUsd: outputMicroUsdPerMtok,
  },
];

/** The tokens of the lines. */
export const tokensOf = (lines: readonly PriceLine[]): TokenCounts => {
  const of = (meter: string): number =>
    lines.reduce((sum, line) => (line.meter === meter ? sum + line.quantity : sum), 0);
  return { promptTokens: of(INPUT_METER), completionTokens: of(OUTPUT_METER) };
};
