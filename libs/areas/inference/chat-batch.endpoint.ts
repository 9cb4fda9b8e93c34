import { Injectable } from '@nestjs/common';
import { ChatLines } from '#platform/chats/chat-lines.port.js';
import { TranslatedLines } from '#platform/chats/translated-lines.js';

export const CHAT_PATH = '/v1/chat/completions';

/** Chat completions as lines of a batch. */
@Injectable()
export class ChatBatchEndpoint extends TranslatedLines {
  constructor(chats: ChatLines) {
    super(chats, (body) => ({ body, write: (completion) => completion }));
  }
}
