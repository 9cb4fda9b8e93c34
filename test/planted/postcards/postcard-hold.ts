import { type ProcessHold } from '#platform/ledger/paid-work/paid-process.js';
import { type PostcardWritten } from './postcard.events.js';
import { postcardProduct, RATE_CARD_VERSION, wordLine } from './postcard.product.js';
import { type PostcardSettings } from './postcards.settings.js';

const HOLD_MS = 600_000;

/** The price of the longest reading of a postcard. */
export const holdOf = (
  { accountId, postcardId }: Pick<PostcardWritten['data'], 'accountId' | 'postcardId'>,
  heldAt: string,
  { wordsMax, microUsdPerWord }: PostcardSettings,
): ProcessHold => ({
  accountId,
  holdId: postcardId,
  purpose: postcardProduct.purpose,
  lines: [wordLine(wordsMax, microUsdPerWord)],
  rateCardVersion: RATE_CARD_VERSION,
  evidence: {},
  expiresAt: new Date(Date.parse(heldAt) + HOLD_MS).toISOString(),
});
