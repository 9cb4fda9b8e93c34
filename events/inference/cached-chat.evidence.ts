import { z } from 'zod';
import { KeyedHash, MicroUsdDecimal } from '../vocabulary.js';

/** The evidence of an answer from the cache, in the events of its hold. */

/** The request whose answer was kept. */
const OriginalChat = z.strictObject({
  requestId: z.uuid(),
  /** The event of its charge. */
  eventId: z.uuid(),
  chargedMicroUsd: MicroUsdDecimal,
});

export const CachedChatHoldEvidence = z.strictObject({
  modelAsked: z.string().min(1),
  original: OriginalChat,
});
export type CachedChatHoldEvidence = z.infer<typeof CachedChatHoldEvidence>;

export const CachedChatEvidence = z.strictObject({
  original: OriginalChat,
  /** The price of the original answer less that of this one. */
  savedMicroUsd: MicroUsdDecimal,
  /** Of the account, the model, the rate card and the body: the same for both requests. */
  cacheKey: KeyedHash,
  ageSeconds: z.int().nonnegative(),
});
export type CachedChatEvidence = z.infer<typeof CachedChatEvidence>;
