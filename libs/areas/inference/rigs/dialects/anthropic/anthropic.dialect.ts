import { type KeyHeaders } from '../credentials.js';
import { type Dialect } from '../dialect.js';
import { anthropicErrors } from './anthropic-errors.js';
import { completionOf } from './message-answer.js';
import { MessageEvents } from './message-events.js';
import { messageRequestOf } from './message-request.js';

/** The version of the interface that is spoken here. */
export const ANTHROPIC_VERSION = { 'anthropic-version': '2023-06-01' } as const;

export const anthropicKey: KeyHeaders = (key) => ({ 'x-api-key': key });

/** Anthropic's Messages, from the bodies of chats and back. */
export const anthropicDialect = (rig: string): Dialect => ({
  chat: ({ body }, isStream) => ({
    path: '/messages',
    headers: ANTHROPIC_VERSION,
    body: JSON.stringify({ ...messageRequestOf(rig, body), stream: isStream }),
  }),
  answer: completionOf,
  reader: () => new MessageEvents(),
  errors: anthropicErrors,
});
