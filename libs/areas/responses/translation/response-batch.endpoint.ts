import { Inject, Injectable } from '@nestjs/common';
import { ChatCalls } from '#platform/chats/chat-calls.port.js';
import { readCompletion } from '#platform/chats/read-answer.js';
import { TranslatedCalls } from '#platform/chats/translated-calls.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { responseIdOf } from '../response-id.js';
import { answeredResponse } from './answered-response.js';
import { inputItemsOf } from './input-items.js';
import { readResponseBody, rejectHostedTools, type ResponseBody } from './response-body.js';
import { chatOf, keyOf } from './response-chat.js';

export const RESPONSES_PATH = '/v1/responses';

/** Responses as lines of a batch. */
@Injectable()
export class ResponseBatchEndpoint extends TranslatedCalls {
  constructor(chats: ChatCalls, @Inject(CLOCK) clock: Clock) {
    const now = () => Math.floor(clock.now() / 1e3);
    super(chats, (sent) => {
      const body = lineBodyOf(sent);
      // The output does not show them, so their ids are never seen.
      const input = body.input === undefined ? [] : inputItemsOf(body.input, '');
      return {
        body: chatOf(body, input, []),
        write: (completion, charged, requestId) => {
          const id = responseIdOf(requestId);
          const answer = readCompletion(completion);
          const { routingMode } = answer;
          const facts = { id, key: keyOf(id), createdAt: now(), body, routingMode, now };
          return answeredResponse(facts, answer, charged);
        },
      };
    });
  }
}

/** The output file is where the response of a line is kept, so it says `store: false`. */
const lineBodyOf = (sent: unknown): ResponseBody => {
  const body = readResponseBody(sent);
  rejectHostedTools(body, 'a line of a batch');
  if (body.store === true) {
    throw rejectedField('store', 'the response of a line is in the output file only');
  }
  if (body.background === true) {
    throw rejectedField('background', 'a line of a batch is in the background already');
  }
  if (body.previous_response_id != null) {
    throw rejectedField('previous_response_id', 'send the items of the conversation as input');
  }
  return { ...body, store: false };
};
