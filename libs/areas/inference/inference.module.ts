import { hash } from 'node:crypto';
import { Module } from '@nestjs/common';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { ChatAdmission } from './chat-admission.js';
import { ChatFunds } from './chat-funds.js';
import { ChatBatchEndpoint } from './chat-batch.endpoint.js';
import { ChatTool } from './chat.tool.js';
import { CompleteChatHandler } from './complete-chat.handler.js';
import { PROMPT_HASHER, type PromptHasher } from './ports.js';
import { RigOperations } from './rigs/rig.operations.js';
import { SettleChatHandler } from './settle-chat.handler.js';
import { StreamChatHandler } from './stream-chat.handler.js';

const promptHasher = {
  provide: PROMPT_HASHER,
  inject: [SECRETS],
  useFactory: (secrets: Secrets): PromptHasher => {
    const key = secrets.key('prompt-hash').toString('hex');
    // Keccak has no length extension, so a key in front makes a MAC without HMAC's second pass
    // (keccak.team, "Strengths of Keccak"); this runs twice for every request.
    return (text) => hash('sha3-256', key + text);
  },
};

@Module({
  providers: [
    promptHasher,
    ChatAdmission,
    ChatFunds,
    ChatBatchEndpoint,
    ChatTool,
    CompleteChatHandler,
    StreamChatHandler,
    SettleChatHandler,
    RigOperations,
  ],
  exports: [ChatFunds, RigOperations, ChatBatchEndpoint, ChatTool],
})
export class InferenceModule {}
