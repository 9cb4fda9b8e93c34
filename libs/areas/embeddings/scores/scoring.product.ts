import { type PriceLine } from '#events/hold.vocabulary.js';
import {
  ScoringCaptureEvidence,
  ScoringHoldEvidence,
} from '#events/embeddings/scoring.evidence.js';
import { INPUT_METER, SEARCH_METER } from '#events/token-meters.js';
import { type TokenBound } from '#platform/ledger/token-price.js';
import { type TokenTariff } from '#platform/chats/token-tariff.js';
import { defineProduct } from '#platform/ledger/product.js';
import { TOKEN_UNITS_IN_WORDS } from '#platform/ledger/token-units.js';
import { type ScoringTask, type ScoringUsage } from './scoring.ports.js';

/** Several items in one request, whose price does not rise with their size. */
const TERMS = { isTiered: false };

const evidence = { holdEvidence: ScoringHoldEvidence, captureEvidence: ScoringCaptureEvidence };

/** Verdicts on texts and images. */
export const moderationProduct = defineProduct({
  purpose: 'moderation',
  group: 'inference',
  paced: true,
  title: 'Moderations',
  meters: { [INPUT_METER]: 'tokens of the inputs' },
  ...evidence,
});

/** Documents in an order, by a model that ranks. */
export const rankingProduct = defineProduct({
  purpose: 'ranking',
  group: 'inference',
  paced: true,
  title: 'Rankings',
  meters: {
    [INPUT_METER]: 'tokens of the query and the documents',
    [SEARCH_METER]: TOKEN_UNITS_IN_WORDS[SEARCH_METER],
  },
  ...evidence,
});

export const productOf = (task: ScoringTask) =>
  task === 'rerank' ? rankingProduct : moderationProduct;

export const heldLinesOf = (bound: TokenBound, tariff: TokenTariff): PriceLine[] =>
  tariff.held(bound, TERMS);

/** The lines of the meters that the product has: there is no output. */
export const chargedLinesOf = (
  task: ScoringTask,
  { promptTokens, searches, source }: ScoringUsage,
  tariff: TokenTariff,
): readonly PriceLine[] =>
  tariff
    .charged(
      { promptTokens, completionTokens: 0, source, ...(searches !== undefined && { searches }) },
      TERMS,
    )
    .lines.filter(({ meter }) => Object.hasOwn(productOf(task).meters, meter));
