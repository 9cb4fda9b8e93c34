import {
  ResponseCaptureEvidence,
  ResponseHoldEvidence,
} from '#events/responses/response.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

/** A response that was answered in the background, for the price of its chat. */
export const responseProduct = defineProduct({
  purpose: 'background_response',
  group: 'inference',
  title: 'Responses in the background',
  meters: { input_tokens: 'tokens of the prompt', output_tokens: 'tokens of the answer' },
  holdEvidence: ResponseHoldEvidence,
  captureEvidence: ResponseCaptureEvidence,
});
