import { Module } from '@nestjs/common';
import { CompletionsController } from '../completions/completions.controller.js';
import { MessagesController } from '../messages/messages.controller.js';
import { StreamsHttpModule } from '../streams/streams-http.module.js';
import { ApiGuard } from '../identity/api.guard.js';
import { ChatController } from './chat.controller.js';
import { ChatExchange } from './chat-exchange.js';
import { ChatMetrics } from './chat.metrics.js';
import { EstimateController } from './estimate.controller.js';
import { TranslatedChats } from './translated-chats.js';

@Module({
  imports: [StreamsHttpModule],
  controllers: [ChatController, CompletionsController, EstimateController, MessagesController],
  providers: [ApiGuard, ChatExchange, ChatMetrics, TranslatedChats],
  exports: [ChatMetrics, TranslatedChats],
})
export class InferenceHttpModule {}
