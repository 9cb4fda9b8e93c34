import { INPUT_METER } from '#events/token-meters.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import {
  EmbeddingCaptureEvidence,
  EmbeddingHoldEvidence,
} from '#events/embeddings/embedding.evidence.js';
import { timesPercent, TOKENS_PER_PRICE } from '#platform/ledger/token-price.js';
import { defineProduct } from '#platform/ledger/product.js';
import { type EmbeddingRate } from './ports.js';

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
  unitPriceMicroUsd: inputMicroUsdPerMtok,
  perUnits: TOKENS_PER_PRICE,
});

/** Tokens of a batch. */
export const batchLineOf = (tokens: number, rate: EmbeddingRate): PriceLine =>
  timesPercent(lineOf(tokens, rate), PERCENT - rate.batchDiscountPercent);
