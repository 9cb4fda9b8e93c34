import { defineArea } from '#platform/runtime/areas/area.js';
import { ConsensusChatStrategy } from './consensus/consensus-chat.strategy.js';
import { SpeculativeChatStrategy } from './speculative/speculative-chat.strategy.js';
import { speculativeEngine } from './speculative/speculative.engine.js';
import { swarmErrors, swarmFailures } from './swarm.errors.js';
import { SwarmModule } from './swarm.module.js';
import { consensusProduct, speculativeProduct } from './swarm.products.js';
import { swarmSettings } from './swarm.settings.js';

/** Writes no events: the evidence of its products is in the ledger's events. */
export const swarmArea = defineArea({
  name: 'swarm',
  description: 'Language models that work together: speculative decoding and consensus.',
  products: [speculativeProduct, consensusProduct],
  engines: [speculativeEngine],
  errors: swarmErrors,
  failures: swarmFailures,
  chatStrategies: [
    { modes: ['vllm_speculative'], strategy: SpeculativeChatStrategy },
    { modes: ['moa_consensus'], strategy: ConsensusChatStrategy },
  ],
  settings: [swarmSettings],
  module: SwarmModule,
});
