import { BatchCaptureEvidence, BatchHoldEvidence } from '#events/batches/batch.evidence.js';
import { unitPriceOf } from '#platform/ledger/price-card.js';
import { timesPercent } from '#platform/ledger/token-price.js';
import { defineProduct } from '#platform/ledger/product.js';

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
    return whole && timesPercent(whole, PERCENT - card.batchDiscountPercent);
  },
});
