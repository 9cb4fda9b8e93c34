import { TEMPERATURE_DEFAULT } from '#platform/chats/chat-defaults.js';
import { type TokenQuantities } from '#platform/chats/chat-usage.js';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { type JsonObject } from './rigs/chat-backend.js';
import { type RigModelTerms } from './rigs/rig-state.js';
import { type ServedModel } from './ports.js';
import { choicesOf } from './token-bound.js';

/**
 * The body for a rig: its id of the model, the bound that was held, and whatever else the caller
 * sent, known to us or not. The bound goes into the fields in which the caller set a limit, since
 * some rigs know only one of the two; without one it is `max_tokens`, which nearly all know. A
 * model that is sent no defaults takes neither temperatures nor `max_tokens`: it bounds itself, and
 * the charge ends at the hold.
 */
export const upstreamBody = (
  body: ChatBody,
  model: ServedModel,
  { outputTokens }: TokenQuantities,
  { sendsDefaults, upstreamId }: Pick<RigModelTerms, 'sendsDefaults' | 'upstreamId'> = model,
): JsonObject => {
  const { max_completion_tokens: current, max_tokens: old } = body;
  const sent: Record<string, unknown> = {};
  for (const field in body) if (!NOT_SENT.has(field)) sent[field] = body[field];
  sent['model'] = upstreamId;
  if (sendsDefaults) sent['temperature'] ??= TEMPERATURE_DEFAULT;
  const limit = Math.floor(outputTokens / choicesOf(body));
  if (current != null) sent['max_completion_tokens'] = limit;
  if (old != null) sent['max_tokens'] = limit;
  if (current != null || old != null) return sent;
  if (sendsDefaults) sent['max_tokens'] = limit;
  // The balance covers less than the model's own bound, which all servers of such models take here.
  else if (limit < model.maxOutputTokens) sent['max_completion_tokens'] = limit;
  return sent;
};

const NOT_SENT: ReadonlySet<string> = new Set([
  // They are sent with the bound in them.
  'max_completion_tokens',
  'max_tokens',
  // No upstream knows these.
  'routing_mode',
  'cleanroom_uuid',
  'timesteps',
  'adapter',
  'provider',
  'models',
]);
