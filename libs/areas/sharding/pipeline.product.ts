import {
  PipelineCaptureEvidence,
  PipelineHoldEvidence,
} from '#events/sharding/pipeline.evidence.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { toDecimal } from '#platform/kernel/money.js';
import { defineProduct } from '#platform/ledger/product.js';
import { type ShardedRate } from './sharded-models.port.js';

const INPUT_METER = 'input_tokens';
export const OUTPUT_METER = 'output_tokens';
const TOKENS_PER_PRICE = 1_000_000;

/** An answer of a model whose layers are divided among processes. */
export const pipelineProduct = defineProduct({
  purpose: 'pipeline_completion',
  group: 'inference',
  paced: true,
  title: 'Chat completions of sharded pipelines',
  meters: { [INPUT_METER]: 'tokens of the prompt', [OUTPUT_METER]: 'tokens of the answer' },
  holdEvidence: PipelineHoldEvidence,
  captureEvidence: PipelineCaptureEvidence,
  unitPrice: ({ models }, { meter, model }) => {
    const price = model === null ? undefined : models.get(model);
    if (!price) return null;
    const unitPriceMicroUsd =
      meter === INPUT_METER ? price.inputMicroUsdPerMtok : price.outputMicroUsdPerMtok;
    return { unitPriceMicroUsd, perUnits: TOKENS_PER_PRICE };
  },
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
    unitPriceMicroUsd: toDecimal(inputMicroUsdPerMtok),
  },
  {
    meter: OUTPUT_METER,
    quantity: completionTokens,
    perUnits: TOKENS_PER_PRICE,
    unitPriceMicroUsd: toDecimal(outputMicroUsdPerMtok),
  },
];

/** The tokens that lines stand for. */
export const tokensOf = (lines: readonly PriceLine[]): TokenCounts => {
  const of = (meter: string): number =>
    lines.reduce((sum, line) => (line.meter === meter ? sum + line.quantity : sum), 0);
  return { promptTokens: of(INPUT_METER), completionTokens: of(OUTPUT_METER) };
};

/** What is charged of what was used, and the tokens above the hold. */
export const within = (used: TokenCounts, bound: TokenCounts) => {
  const promptTokens = Math.min(used.promptTokens, bound.promptTokens);
  const completionTokens = Math.min(used.completionTokens, bound.completionTokens);
  const excess = [
    { meter: INPUT_METER, quantity: used.promptTokens - promptTokens },
    { meter: OUTPUT_METER, quantity: used.completionTokens - completionTokens },
  ].filter(({ quantity }) => quantity > 0);
  return { charged: { promptTokens, completionTokens }, excess };
};
