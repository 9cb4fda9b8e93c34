import { ChatCaptureEvidence, ChatHoldEvidence } from '#events/inference/chat.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';
import { INPUT_METER, OUTPUT_METER, TOKENS_PER_PRICE } from './token-lines.js';

/** A chat completion, whole or as a stream. */
export const chatProduct = defineProduct({
  purpose: 'chat_completion',
  group: 'inference',
  paced: true,
  title: 'Chat completions',
  meters: { [INPUT_METER]: 'tokens of the prompt', [OUTPUT_METER]: 'tokens of the answer' },
  holdEvidence: ChatHoldEvidence,
  captureEvidence: ChatCaptureEvidence,
  unitPrice: ({ models }, { meter, model }) => {
    const price = model === null ? undefined : models.get(model);
    if (!price) return null;
    const unitPriceMicroUsd =
      meter === INPUT_METER ? price.inputMicroUsdPerMtok : price.outputMicroUsdPerMtok;
    return { unitPriceMicroUsd, perUnits: TOKENS_PER_PRICE };
  },
});
