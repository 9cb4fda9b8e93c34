import { Module } from '@nestjs/common';
import { CompletionsController } from '../completions/completions.controller.js';
import { MessagesController } from '../messages/messages.controller.js';
import { StreamsHttpModule } from '../streams/streams-http.module.js';
import { ApiGuard } from '../identity/api.guard.js';
import { ChatController } from './chat.controller.js';
import { ChatExchange } from './chat-exchange.js';
import { ChatHeads } from './chat-heads.js';
import { ChatOutcomes } from './chat-outcomes.js';
import { ChatMetrics } from './chat.metrics.js';
import { EstimateController } from './estimate.controller.js';
import { StreamedChats } from './streamed-chats.js';
import { TranslatedChats } from './translated-chats.js';
import { WholeChats } from './whole-chats.js';

@Module({
  imports: [StreamsHttpModule],
  controllers: [ChatController, CompletionsController, EstimateController, MessagesController],
  providers: [
    ApiGuard,
    ChatExchange,
    ChatHeads,
    ChatMetrics,
    ChatOutcomes,
    StreamedChats,
    TranslatedChats,
    WholeChats,
  ],
  exports: [ChatMetrics, TranslatedChats],
})
export class InferenceHttpModule {}
