import { z } from 'zod';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { defineProduct } from '#platform/ledger/product.js';
import { PostcardId } from './postcard.events.js';

export const WORDS = 'words';
export const COUNT_STEP = 'count';
/** The planted area has no rate card of its own. */
export const RATE_CARD_VERSION = 1;

export const postcardProduct = defineProduct({
  purpose: 'postcard',
  group: 'compute',
  title: 'Postcards',
  meters: { [WORDS]: 'words of the greeting' },
  captureEvidence: z.strictObject({ postcardId: PostcardId }),
});

/** The words of a postcard as the line of a hold or a charge. */
export const wordLine = (words: number, microUsdPerWord: number): PriceLine => ({
  step: COUNT_STEP,
  meter: WORDS,
  quantity: words,
  unitPriceMicroUsd: String(microUsdPerWord),
  perUnits: 1,
});
