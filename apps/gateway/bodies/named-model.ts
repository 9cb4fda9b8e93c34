import { ModelId } from '#events/catalog/rate-card.events.js';
import { fieldsOf } from '#platform/chats/read-answer.js';
import { schemaCheckOf } from '#platform/runtime/commands/schema-check.js';

/** The model that an unvalidated body names. */
export const modelOf = (sent: unknown): unknown => fieldsOf(sent)['model'];

/** Spares every line of the log the parsing of its model. */
const isModelId = schemaCheckOf(ModelId);

/** The same for a log line: a value that is not a model's id could be any text of the caller. */
export const namedModelOf = (sent: unknown): string | undefined => {
  const model = modelOf(sent);
  return typeof model === 'string' && isModelId?.(model) ? model : ModelId.safeParse(model).data;
};
