import { type PriceLine, type UsedUnits } from '#events/hold.vocabulary.js';
import { INPUT_METER } from '#events/token-meters.js';
import {
  EmbeddingCaptureEvidence,
  EmbeddingHoldEvidence,
} from '#events/embeddings/embedding.evidence.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type TariffTerms, type TokenTariff } from '#platform/chats/token-tariff.js';
import { defineProduct } from '#platform/ledger/product.js';

/** Several inputs in one request, whose price does not rise with their size. */
const TERMS = { isTiered: false };

/** Embeddings of a request. */
export const embeddingProduct = defineProduct({
  purpose: 'embedding',
  group: 'inference',
  paced: true,
  title: 'Embeddings',
  meters: { [INPUT_METER]: 'tokens of the inputs' },
  holdEvidence: EmbeddingHoldEvidence,
  captureEvidence: EmbeddingCaptureEvidence,
});

/** Tokens as the lines of a hold. */
export const heldLinesOf = (
  inputTokens: number,
  tariff: TokenTariff,
  terms: TariffTerms = {},
): PriceLine[] => tariff.held({ inputTokens }, { ...terms, ...TERMS });

/** Tokens as the lines of a charge: there is no output. */
export const chargedLinesOf = (tokens: number, tariff: TokenTariff): readonly PriceLine[] =>
  tariff.charged(usageOf(tokens), TERMS).lines.filter(({ meter }) => meter === INPUT_METER);

/** Tokens as units, for work that another one holds and charges. */
export const usedUnitsOf = (
  tokens: number,
  tariff: TokenTariff,
  rig: string,
  terms: TariffTerms = {},
): readonly UsedUnits[] =>
  tariff
    .used(usageOf(tokens), { ...terms, ...TERMS }, rig)
    .used.filter(({ meter }) => meter === INPUT_METER);

const usageOf = (promptTokens: number): Usage => ({
  promptTokens,
  completionTokens: 0,
  source: 'provider',
});
