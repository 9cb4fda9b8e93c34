import { type Usage } from '#platform/chats/chat-usage.js';
import { type ReadAnswer } from '#platform/chats/read-answer.js';
import { OutputItems } from './output-items.js';
import { type ResponseFacts, type ResponseObject, responseObject } from './response-object.js';

export interface AnsweredFacts extends ResponseFacts {
  /** The seed of the ids of items. */
  readonly key: string;
  /** Seconds since the Unix epoch. */
  readonly now: () => number;
}

/** The whole answer of a chat as a response. */
export const answeredResponse = (
  facts: AnsweredFacts,
  { choices, describedImages }: ReadAnswer,
  usage: Usage,
): ResponseObject => {
  const items = new OutputItems(facts.key, facts);
  for (const choice of choices) items.add(choice);
  items.end();
  return endedResponse(facts, items, { usage, describedImages });
};

export const endedResponse = (
  facts: AnsweredFacts,
  items: OutputItems,
  { usage, describedImages }: Pick<ReadAnswer, 'describedImages'> & { readonly usage: Usage },
): ResponseObject =>
  responseObject(facts, items.items, {
    status: 'ended',
    completedAt: facts.now(),
    finishReason: items.finishReason,
    usage,
    describedImages,
  });
