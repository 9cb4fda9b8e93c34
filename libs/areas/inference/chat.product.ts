import { ChatCaptureEvidence, ChatHoldEvidence } from '#events/inference/chat.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';
import { INPUT_METER, OUTPUT_METER } from './token-lines.js';

/** A chat completion, whole or as a stream. */
export const chatProduct = defineProduct({
  purpose: 'chat_completion',
  group: 'inference',
  paced: true,
  title: 'Chat completions',
  meters: { [INPUT_METER]: 'tokens of the prompt', [OUTPUT_METER]: 'tokens of the answer' },
  holdEvidence: ChatHoldEvidence,
  captureEvidence: ChatCaptureEvidence,
});
