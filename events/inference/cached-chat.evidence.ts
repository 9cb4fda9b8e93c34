import { z } from 'zod';
import { KeyedHash, MicroUsdDecimal } from '../vocabulary.js';

/** What the answer of a chat from the cache adds to the events of its hold. */

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
  /** What the original cost less what this answer costs. */
  savedMicroUsd: MicroUsdDecimal,
  /** Of the account, the model, the rate card and the body: the same for both requests. */
  cacheKey: KeyedHash,
  ageSeconds: z.int().nonnegative(),
});
export type CachedChatEvidence = z.infer<typeof CachedChatEvidence>;
