import { type FactoryProvider } from '@nestjs/common';
import { Catalog } from '#areas/catalog/catalog.js';
import { type ChatOrder } from '#areas/inference/chat-admission.js';
import { ChatStrategies, type ChatStrategy } from '#areas/inference/chat-strategies.js';
import { PipelineRuns } from '#areas/sharding/pipeline-runs.js';
import { SpikingChats } from '#areas/spiking/spiking-chats.js';
import { ConsensusChats } from '#areas/swarm/consensus/consensus-chats.js';
import { SpeculativeChats } from '#areas/swarm/speculative/speculative-chats.js';
import { ShardingChatStrategies } from './sharding-chats.binding.js';
import { SpikingChatStrategies } from './spiking-chats.binding.js';
import { SwarmChatStrategies } from './swarm-chats.binding.js';

/** The strategies of several areas: the first that answers a chat does. */
export class ListedChatStrategies extends ChatStrategies {
  constructor(private readonly listed: readonly ChatStrategies[]) {
    super();
  }

  override of(order: ChatOrder): ChatStrategy | undefined {
    for (const strategies of this.listed) {
      const found = strategies.of(order);
      if (found) return found;
    }
    return undefined;
  }
}

/** What answers chats beside rigs; an area that a process lacks answers none. */
export const chatStrategies: FactoryProvider<ChatStrategies> = {
  provide: ChatStrategies,
  inject: [
    Catalog,
    { token: SpikingChats, optional: true },
    { token: PipelineRuns, optional: true },
    { token: SpeculativeChats, optional: true },
    { token: ConsensusChats, optional: true },
  ],
  useFactory: (
    catalog: Catalog,
    spiking?: SpikingChats,
    pipelines?: PipelineRuns,
    speculative?: SpeculativeChats,
    consensus?: ConsensusChats,
  ) =>
    new ListedChatStrategies([
      new SpikingChatStrategies(catalog, spiking),
      new ShardingChatStrategies(pipelines),
      ...(speculative && consensus ? [new SwarmChatStrategies(speculative, consensus)] : []),
    ]),
};
