import { Injectable } from '@nestjs/common';
import { ChatCalls } from '#platform/chats/chat-calls.port.js';
import { TranslatedCalls } from '#platform/chats/translated-calls.js';

export const CHAT_PATH = '/v1/chat/completions';

/** Chat completions as lines of a batch. */
@Injectable()
export class ChatBatchEndpoint extends TranslatedCalls {
  constructor(chats: ChatCalls) {
    super(chats, (body) => ({ body, write: (completion) => completion }));
  }
}
