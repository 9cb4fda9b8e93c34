import {
  ResponseCaptureEvidence,
  ResponseHoldEvidence,
} from '#events/responses/response.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

/** Prices of models are for so many tokens. */
const TOKENS_PER_PRICE = 1_000_000;

/** A response that was answered in the background, for the price of its chat. */
export const responseProduct = defineProduct({
  purpose: 'background_response',
  group: 'inference',
  title: 'Responses in the background',
  meters: { input_tokens: 'tokens of the prompt', output_tokens: 'tokens of the answer' },
  holdEvidence: ResponseHoldEvidence,
  captureEvidence: ResponseCaptureEvidence,
  unitPrice: ({ models }, { meter, model }) => {
    const price = model === null ? undefined : models.get(model);
    if (!price) return null;
    const unitPriceMicroUsd =
      meter === 'input_tokens' ? price.inputMicroUsdPerMtok : price.outputMicroUsdPerMtok;
    return { unitPriceMicroUsd, perUnits: TOKENS_PER_PRICE };
  },
});
