import { Module } from '@nestjs/common';
import { keyedHasher } from '#platform/secrets/keyed-hasher.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { ConsensusChatStrategy } from './consensus/consensus-chat.strategy.js';
import { ConsensusChats } from './consensus/consensus-chats.js';
import { ConsensusPlanner } from './consensus/consensus-plan.js';
import { Proposals } from './consensus/proposals.js';
import { SpeculativeChatStrategy } from './speculative/speculative-chat.strategy.js';
import { SpeculativeChats } from './speculative/speculative-chats.js';
import { SpeculativeSource } from './speculative/speculative-source.js';
import { TEXT_HASHER, type TextHasher } from './text-hasher.js';

const textHasher = {
  provide: TEXT_HASHER,
  inject: [SECRETS],
  useFactory: (secrets: Secrets): TextHasher => keyedHasher(secrets),
};

@Module({
  providers: [
    textHasher,
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
