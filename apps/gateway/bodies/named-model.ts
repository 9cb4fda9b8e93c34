import { ModelId } from '#events/catalog/rate-card.events.js';
import { fieldsOf } from '#platform/chats/read-answer.js';

/** The model that an unvalidated body names. */
export const modelOf = (sent: unknown): unknown => fieldsOf(sent)['model'];

/** The same for a log line: a value that is not a model's id could be any text of the caller. */
export const namedModelOf = (sent: unknown): string | undefined =>
  ModelId.safeParse(modelOf(sent)).data;
