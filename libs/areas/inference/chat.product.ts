import { ChatCaptureEvidence, ChatHoldEvidence } from '#events/inference/chat.evidence.js';
import { FRAMES_METER } from '#events/vision/vision.meters.js';
import { requestPriceOf } from '#platform/ledger/price-card.js';
import { defineProduct } from '#platform/ledger/product.js';
import { TOKEN_UNITS_IN_WORDS } from '#platform/ledger/token-units.js';

/** A chat completion, whole or as a stream. */
export const chatProduct = defineProduct({
  purpose: 'chat_completion',
  group: 'inference',
  paced: true,
  title: 'Chat completions',
  meters: {
    ...TOKEN_UNITS_IN_WORDS,
    [FRAMES_METER]: 'pictures that were described for a model',
  },
  unitPrice: requestPriceOf,
  holdEvidence: ChatHoldEvidence,
  captureEvidence: ChatCaptureEvidence,
});
