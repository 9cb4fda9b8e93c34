import {
  ConsensusCaptureEvidence,
  ConsensusHoldEvidence,
  SpeculativeCaptureEvidence,
  SpeculativeHoldEvidence,
} from '#events/swarm/swarm.evidence.js';
import { requestPriceOf } from '#platform/ledger/price-card.js';
import { TOKEN_UNITS_IN_WORDS } from '#platform/ledger/token-units.js';
import { defineProduct } from '#platform/ledger/product.js';

const common = {
  group: 'inference',
  paced: true,
  meters: TOKEN_UNITS_IN_WORDS,
  unitPrice: requestPriceOf,
} as const;

/** An answer of a target with a draft, at the price of the target. */
export const speculativeProduct = defineProduct({
  ...common,
  purpose: 'speculative_completion',
  title: 'Speculative completions',
  holdEvidence: SpeculativeHoldEvidence,
  captureEvidence: SpeculativeCaptureEvidence,
});

/** Proposals of several models and their synthesis; each line names its step, at its own price. */
export const consensusProduct = defineProduct({
  ...common,
  purpose: 'consensus_completion',
  title: 'Consensus completions',
  holdEvidence: ConsensusHoldEvidence,
  captureEvidence: ConsensusCaptureEvidence,
});
