import { Module } from '@nestjs/common';
import { ChatController } from './chat.controller.js';
import { ChatExchange } from './chat-exchange.js';
import { IdempotentChat } from './idempotent-chat.js';

@Module({
  controllers: [ChatController],
  providers: [ChatExchange, IdempotentChat],
})
export class InferenceHttpModule {}
