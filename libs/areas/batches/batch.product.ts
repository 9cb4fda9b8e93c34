import { BatchCaptureEvidence, BatchHoldEvidence } from '#events/batches/batch.evidence.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
import { defineProduct } from '#platform/ledger/product.js';

/** Prices are for a million tokens; with the discount, exact for a hundred times as many. */
const TOKENS_PER_PRICE = 1_000_000;
const PERCENT = 100;

/** The completed lines of a batch, at the batch price of the rate card. */
export const batchProduct = defineProduct({
  purpose: 'batch',
  group: 'inference',
  title: 'Batches',
  meters: { input_tokens: 'tokens of the prompts', output_tokens: 'tokens of the answers' },
  holdEvidence: BatchHoldEvidence,
  captureEvidence: BatchCaptureEvidence,
  unitPrice: ({ models, batchDiscountPercent }, { meter, model }) => {
    const price = model === null ? undefined : models.get(model);
    if (!price) return null;
    const whole =
      meter === 'input_tokens' ? price.inputMicroUsdPerMtok : price.outputMicroUsdPerMtok;
    const unitPriceMicroUsd = toDecimal(
      fromDecimal(whole) * BigInt(PERCENT - batchDiscountPercent),
    );
    return { unitPriceMicroUsd, perUnits: TOKENS_PER_PRICE * PERCENT };
  },
});
