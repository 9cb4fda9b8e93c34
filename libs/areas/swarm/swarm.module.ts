import { Module } from '@nestjs/common';
import { ConsensusChatStrategy } from './consensus/consensus-chat.strategy.js';
import { ConsensusChats } from './consensus/consensus-chats.js';
import { ConsensusPlanner } from './consensus/consensus-plan.js';
import { Proposals } from './consensus/proposals.js';
import { SpeculativeChatStrategy } from './speculative/speculative-chat.strategy.js';
import { SpeculativeChats } from './speculative/speculative-chats.js';
import { SpeculativeSource } from './speculative/speculative-source.js';

@Module({
  providers: [
    SpeculativeSource,
    SpeculativeChats,
    ConsensusPlanner,
    Proposals,
    ConsensusChats,
    SpeculativeChatStrategy,
    ConsensusChatStrategy,
  ],
  exports: [SpeculativeChats, ConsensusChats],
})
export class SwarmModule {}
