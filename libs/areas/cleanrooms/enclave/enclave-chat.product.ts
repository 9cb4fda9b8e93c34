import {
  EnclaveChatCaptureEvidence,
  EnclaveChatHoldEvidence,
} from '#events/cleanrooms/enclave.evidence.js';
import { requestPriceOf } from '#platform/ledger/price-card.js';
import { defineProduct } from '#platform/ledger/product.js';
import { TOKEN_UNITS_IN_WORDS } from '#platform/ledger/token-units.js';

/** A sealed answer of the enclave process, at the price of its model. */
export const enclaveChatProduct = defineProduct({
  purpose: 'cleanroom_enclave_chat',
  group: 'inference',
  paced: true,
  title: 'Sealed chats',
  meters: TOKEN_UNITS_IN_WORDS,
  unitPrice: requestPriceOf,
  holdEvidence: EnclaveChatHoldEvidence,
  captureEvidence: EnclaveChatCaptureEvidence,
});
