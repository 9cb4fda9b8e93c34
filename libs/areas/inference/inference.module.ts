import { Module } from '@nestjs/common';
import { ChatCalls } from '#platform/chats/chat-calls.port.js';
import { AnswerCache } from './cache/answer-cache.js';
import { AnswerCacheSweeper } from './cache/answer-cache.sweeper.js';
import { ChatCache } from './cache/chat-cache.js';
import { ChatAdmission } from './chat-admission.js';
import { ChatStrategies } from './chat-strategies.js';
import { ChatPricing } from './chat-pricing.js';
import { ChatFunds } from './chat-funds.js';
import { ChatBatchEndpoint } from './chat-batch.endpoint.js';
import { ChatTool } from './chat.tool.js';
import { CompletionBatchEndpoint } from './completions/completion-batch.endpoint.js';
import { CompleteChatHandler } from './complete-chat.handler.js';
import { CountTokensHandler } from './count-tokens.handler.js';
import { DescribedPictures } from './pictures/described-pictures.js';
import { EstimateChatHandler } from './estimate-chat.handler.js';
import { RigChatCalls } from './rig-chat-calls.js';
import { RigOperations } from './rigs/rig.operations.js';
import { RoutingModes } from './routing-modes.js';
import { StreamChatHandler } from './stream-chat.handler.js';

@Module({
  providers: [
    RoutingModes,
    ChatStrategies,
    ChatPricing,
    DescribedPictures,
    ChatAdmission,
    CountTokensHandler,
    EstimateChatHandler,
    ChatFunds,
    { provide: ChatCalls, useClass: RigChatCalls },
    ChatBatchEndpoint,
    CompletionBatchEndpoint,
    ChatTool,
    CompleteChatHandler,
    StreamChatHandler,
    RigOperations,
    AnswerCache,
    AnswerCacheSweeper,
    ChatCache,
  ],
  exports: [
    RoutingModes,
    ChatFunds,
    RigOperations,
    ChatCalls,
    ChatBatchEndpoint,
    CompletionBatchEndpoint,
    ChatTool,
    CompleteChatHandler,
    CountTokensHandler,
    EstimateChatHandler,
    StreamChatHandler,
  ],
})
export class InferenceModule {}
