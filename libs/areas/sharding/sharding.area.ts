import { defineArea } from '#platform/runtime/areas/area.js';
import { PipelineChatStrategy } from './pipeline-chat.strategy.js';
import { pipelineEngine } from './pipeline.engine.js';
import { pipelineProduct } from './pipeline.product.js';
import { shardingErrors, shardingFailures } from './sharding.errors.js';
import { ShardingModule } from './sharding.module.js';
import { shardingSettings } from './sharding.settings.js';

/** Writes no events: the evidence of its product is in the ledger's events. */
export const shardingArea = defineArea({
  name: 'sharding',
  description: 'Chats of models whose layers are divided among processes.',
  products: [pipelineProduct],
  engines: [pipelineEngine],
  errors: shardingErrors,
  failures: shardingFailures,
  chatStrategies: [{ modes: ['sharded_pipeline'], strategy: PipelineChatStrategy }],
  settings: [shardingSettings],
  module: ShardingModule,
});
