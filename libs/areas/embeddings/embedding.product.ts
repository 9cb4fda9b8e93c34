import { type PriceLine } from '#events/hold.vocabulary.js';
import {
  EmbeddingCaptureEvidence,
  EmbeddingHoldEvidence,
} from '#events/embeddings/embedding.evidence.js';
import { toDecimal } from '#platform/kernel/money.js';
import { TOKENS_PER_PRICE } from '#platform/ledger/price-card.js';
import { defineProduct } from '#platform/ledger/product.js';
import { type EmbeddingRate } from './ports.js';

export const INPUT_METER = 'input_tokens';
const PERCENT = 100;

/** Embeddings of a request. */
export const embeddingProduct = defineProduct({
  purpose: 'embedding',
  group: 'inference',
  paced: true,
  title: 'Embeddings',
  meters: { [INPUT_METER]: 'tokens of the inputs' },
  holdEvidence: EmbeddingHoldEvidence,
  captureEvidence: EmbeddingCaptureEvidence,
});

/** Tokens as the line of a hold or a charge. */
export const lineOf = (tokens: number, { inputMicroUsdPerMtok }: EmbeddingRate): PriceLine => ({
  meter: INPUT_METER,
  quantity: tokens,
  unitPriceMicroUsd: toDecimal(inputMicroUsdPerMtok),
  perUnits: TOKENS_PER_PRICE,
});

/** Tokens of a batch. A discount is a whole percentage: exact for a hundred times as many. */
export const batchLineOf = (tokens: number, rate: EmbeddingRate): PriceLine => {
  const percent = BigInt(PERCENT - rate.batchDiscountPercent);
  const inputMicroUsdPerMtok = rate.inputMicroUsdPerMtok * percent;
  const line = lineOf(tokens, { ...rate, inputMicroUsdPerMtok });
  return { ...line, perUnits: line.perUnits * PERCENT };
};
