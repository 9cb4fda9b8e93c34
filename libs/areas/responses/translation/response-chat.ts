import { MESSAGES_MAX } from '#platform/chats/chat-defaults.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { type Fields } from '#platform/chats/read-answer.js';
import { passagesText } from './file-search.js';
import { type ResponseContent } from '../response-blobs.js';
import { messagesOf } from './conversation.js';
import { type HostedWork } from './hosted-work.js';
import { type Item } from './input-items.js';
import { chatFieldsOf, type ResponseBody } from './response-body.js';

/** The seed of the ids of the items of a response. */
export const keyOf = (responseId: string): string => responseId.slice('resp_'.length);

/**
 * The chat request made from a response. As in OpenAI's API, the instructions of earlier responses
 * are not carried over.
 * @param before the responses that it continues, the first one first
 * @param hosted the work of this gateway for it
 * @throws RejectedRequestError 400 for too many messages
 */
export const chatOf = (
  body: ResponseBody,
  input: readonly Item[],
  before: readonly ResponseContent[],
  { search = null, mcp = null }: HostedWork = {},
): Fields => {
  const told = [body.instructions, search && passagesText(search)].filter((one) => one != null);
  const instructions = told.length === 0 ? null : told.join('\n\n');
  const said = before.flatMap(
    ({ input: asked, response: { output } }) => [...asked, ...output] as Item[],
  );
  const messages = messagesOf([...said, ...input]);
  const all =
    instructions === null ? messages : [{ role: 'system', content: instructions }, ...messages];
  if (all.length > MESSAGES_MAX) {
    throw rejectedField('input', `a conversation has at most ${MESSAGES_MAX} messages`);
  }
  return { ...chatFieldsOf(body, mcp?.tools), messages: all };
};
