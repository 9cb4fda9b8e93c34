import { Module } from '@nestjs/common';
import { ChatAdmission } from './chat-admission.js';
import { CompleteChatHandler } from './complete-chat.handler.js';
import { SettleChatHandler } from './settle-chat.handler.js';
import { StreamChatHandler } from './stream-chat.handler.js';

@Module({
  providers: [ChatAdmission, CompleteChatHandler, StreamChatHandler, SettleChatHandler],
})
export class InferenceModule {}
