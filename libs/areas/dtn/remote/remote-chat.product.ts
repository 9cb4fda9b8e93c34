import {
  RemoteChatCaptureEvidence,
  RemoteChatHoldEvidence,
} from '#events/dtn/remote-chat.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

export const PROMPT_METER = 'remote_prompt_tokens';
export const COMPLETION_METER = 'remote_completion_tokens';

/** A chat that another node answers while it is disconnected. */
export const remoteChatProduct = defineProduct({
  purpose: 'remote_chat',
  group: 'inference',
  title: 'Chats on remote nodes',
  meters: {
    [PROMPT_METER]: 'tokens of the prompt, as the receipt of the node counts them',
    [COMPLETION_METER]: 'tokens of the answer, as the receipt of the node counts them',
  },
  holdEvidence: RemoteChatHoldEvidence,
  captureEvidence: RemoteChatCaptureEvidence,
});
