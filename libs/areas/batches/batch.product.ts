import { BatchCaptureEvidence, BatchHoldEvidence } from '#events/batches/batch.evidence.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
import { unitPriceOf } from '#platform/ledger/price-card.js';
import { defineProduct } from '#platform/ledger/product.js';

/** A price with a discount is exact for a hundred times as many tokens. */
const PERCENT = 100;

/** The completed lines of a batch, at the batch price of the rate card. */
export const batchProduct = defineProduct({
  purpose: 'batch',
  group: 'inference',
  title: 'Batches',
  meters: { input_tokens: 'tokens of the prompts', output_tokens: 'tokens of the answers' },
  holdEvidence: BatchHoldEvidence,
  captureEvidence: BatchCaptureEvidence,
  unitPrice: (card, work) => {
    const whole = unitPriceOf(card, work);
    if (!whole) return null;
    const percent = BigInt(PERCENT - card.batchDiscountPercent);
    return {
      unitPriceMicroUsd: toDecimal(fromDecimal(whole.unitPriceMicroUsd) * percent),
      perUnits: whole.perUnits * PERCENT,
    };
  },
});
