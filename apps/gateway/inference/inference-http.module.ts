import { Module } from '@nestjs/common';
import { ChatController } from './chat.controller.js';
import { ChatExchange } from './chat-exchange.js';
import { ChatMetrics } from './chat.metrics.js';
import { IdempotentChat } from './idempotent-chat.js';

@Module({
  controllers: [ChatController],
  providers: [ChatExchange, ChatMetrics, IdempotentChat],
})
export class InferenceHttpModule {}
