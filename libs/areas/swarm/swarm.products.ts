import { INPUT_METER, OUTPUT_METER } from '#events/token-meters.js';
import {
  ConsensusCaptureEvidence,
  ConsensusHoldEvidence,
  SpeculativeCaptureEvidence,
  SpeculativeHoldEvidence,
} from '#events/swarm/swarm.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

const common = {
  group: 'inference',
  paced: true,
  meters: { [INPUT_METER]: 'tokens of prompts', [OUTPUT_METER]: 'tokens of answers' },
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
