import {
  QuantizationCaptureEvidence,
  QuantizationHoldEvidence,
} from '#events/quantization/quantization.evidence.js';
import { type JobUsage } from '#events/jobs/job.events.js';
import { defineProduct } from '#platform/ledger/product.js';

/** Counted alike on every machine, so an estimate is what the work counts. */
export const PRODUCTS_METER = 'weight_products';

export const quantizationProduct = defineProduct({
  purpose: 'quantization',
  group: 'compute',
  title: 'Quantizations',
  meters: { [PRODUCTS_METER]: 'weights times the tokens that they read' },
  holdEvidence: QuantizationHoldEvidence,
  captureEvidence: QuantizationCaptureEvidence,
});

export const usageOf = (products: number): JobUsage[] => [
  { meter: PRODUCTS_METER, quantity: products },
];
