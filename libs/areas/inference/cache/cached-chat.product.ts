import {
  CachedChatEvidence,
  CachedChatHoldEvidence,
} from '#events/inference/cached-chat.evidence.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type UnitPrice } from '#platform/ledger/price.js';
import { defineProduct } from '#platform/ledger/product.js';

/** Its price on the rate card is the operator's share of the charge for a kept answer. */
export const CACHED_METER = 'cached_micro_usd';

/** The answer of a chat from the cache. */
export const cachedChatProduct = defineProduct({
  purpose: 'cached_chat',
  group: 'inference',
  paced: true,
  title: 'Chat completions from the cache',
  meters: { [CACHED_METER]: 'micro-dollars that the kept answer cost' },
  holdEvidence: CachedChatHoldEvidence,
  captureEvidence: CachedChatEvidence,
});

/** @param price absent: the operator states none, and the answer is free */
export const cachedLineOf = (
  chargedMicroUsd: bigint,
  price: UnitPrice = { unitPriceMicroUsd: '0', perUnits: 1 },
): PriceLine => ({ meter: CACHED_METER, quantity: Number(chargedMicroUsd), ...price });
