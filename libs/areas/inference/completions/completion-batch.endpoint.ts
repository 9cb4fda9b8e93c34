import { Inject, Injectable } from '@nestjs/common';
import { ChatCalls } from '#platform/chats/chat-calls.port.js';
import { readCompletion } from '#platform/chats/read-answer.js';
import { TranslatedCalls } from '#platform/chats/translated-calls.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { chatsOf } from './completion-body.js';
import { completionFacts, completionObject } from './completion-object.js';

export const COMPLETIONS_PATH = '/v1/completions';

/** Legacy completions as lines of a batch. */
@Injectable()
export class CompletionBatchEndpoint extends TranslatedCalls {
  constructor(chats: ChatCalls, @Inject(CLOCK) clock: Clock) {
    super(chats, (sent) => {
      const asked = chatsOf(sent);
      const [body, ...others] = asked.bodies;
      return {
        body,
        others,
        write: (completion, charged, requestId) => {
          const facts = completionFacts(asked, requestId, clock.now());
          return completionObject(facts, readCompletion(completion), charged);
        },
      };
    });
  }
}
