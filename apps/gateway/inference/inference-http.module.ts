import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { ChatController } from './chat.controller.js';
import { ChatExchange } from './chat-exchange.js';
import { ChatMetrics } from './chat.metrics.js';
import { ChatSettler } from './chat.settler.js';

@Module({
  controllers: [ChatController],
  providers: [ApiGuard, ChatExchange, ChatMetrics, ChatSettler],
})
export class InferenceHttpModule {}
