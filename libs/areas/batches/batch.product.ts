import { isTokenMeter } from '#events/token-meters.js';
import { BatchCaptureEvidence, BatchHoldEvidence } from '#events/batches/batch.evidence.js';
import { modelOfLine, unitPriceOf } from '#platform/ledger/price-card.js';
import { timesPercent } from '#platform/ledger/token-price.js';
import { TOKEN_UNITS_IN_WORDS } from '#platform/ledger/token-units.js';
import { defineProduct } from '#platform/ledger/product.js';

const PERCENT = 100;

/** The completed lines of a batch, at the batch prices of the model or with the discount. */
export const batchProduct = defineProduct({
  purpose: 'batch',
  group: 'inference',
  title: 'Batches',
  meters: TOKEN_UNITS_IN_WORDS,
  holdEvidence: BatchHoldEvidence,
  captureEvidence: BatchCaptureEvidence,
  unitPrice: (card, work) => {
    const { line, charge } = work;
    if (!isTokenMeter(line.meter)) return unitPriceOf(card, work);
    const tiers = card.models.get(modelOfLine(work) ?? '')?.serviceTiers;
    if (tiers?.['batch']) {
      const tier = { ...line.tier, service: 'batch' };
      return unitPriceOf(card, { charge, line: { ...line, tier } });
    }
    const whole = unitPriceOf(card, work);
    return whole && timesPercent(whole, PERCENT - card.batchDiscountPercent);
  },
});
