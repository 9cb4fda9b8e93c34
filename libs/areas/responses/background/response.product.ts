import {
  ResponseCaptureEvidence,
  ResponseHoldEvidence,
} from '#events/responses/response.evidence.js';
import { requestPriceOf } from '#platform/ledger/price-card.js';
import { TOKEN_UNITS_IN_WORDS } from '#platform/ledger/token-units.js';
import { defineProduct } from '#platform/ledger/product.js';

/** A response that was answered in the background, for the price of its chat. */
export const responseProduct = defineProduct({
  purpose: 'background_response',
  group: 'inference',
  title: 'Responses in the background',
  meters: TOKEN_UNITS_IN_WORDS,
  unitPrice: requestPriceOf,
  holdEvidence: ResponseHoldEvidence,
  captureEvidence: ResponseCaptureEvidence,
});
