import { type KeyHeaders } from '../credentials.js';
import { type Dialect } from '../dialect.js';
import { originalAnswer, originalBody, originalIn, readerFor } from '../original-body.js';
import { anthropicErrors } from './anthropic-errors.js';
import { completionOf } from './message-answer.js';
import { MessageEvents } from './message-events.js';
import { messageRequestOf } from './message-request.js';

/** The version of the interface that is spoken here. */
export const ANTHROPIC_VERSION = { 'anthropic-version': '2023-06-01' } as const;

export const anthropicKey: KeyHeaders = (key) => ({ 'x-api-key': key });

/** Anthropic's Messages, from the bodies of chats and back. */
export const anthropicDialect = (rig: string): Dialect => ({
  chat: (request, isStream) => {
    const original = originalIn(request, 'messages');
    const { body } = request;
    return {
      path: '/messages',
      headers: { ...ANTHROPIC_VERSION, ...original?.headers },
      body: original
        ? originalBody(original, { model: JSON.stringify(body['model']) })
        : JSON.stringify({ ...messageRequestOf(rig, body), stream: isStream }),
    };
  },
  answer: (answer, request) => {
    const read = completionOf(answer, request);
    const original = originalAnswer(request, 'messages', answer);
    return read && original !== undefined ? { ...read, original } : read;
  },
  reader: (request) => readerFor(request, 'messages', 'message', new MessageEvents()),
  errors: anthropicErrors,
});
