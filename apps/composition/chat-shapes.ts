import { type ChatOrder } from '#areas/inference/chat-admission.js';

/**
 * The fields with which OpenAI's answers and chunks begin.
 * @param model that answers; default: the one that was asked
 */
export const chatHead = (
  { body, routingMode, context, receivedAtMs }: ChatOrder,
  object: 'chat.completion' | 'chat.completion.chunk',
  model = body.model,
) => ({
  id: `chatcmpl-${context.requestId}`,
  object,
  created: Math.floor(receivedAtMs / 1e3),
  model,
  routing_mode: routingMode,
});

/** Whether a stream ends with its usage. */
export const includesUsage = ({ stream_options: options }: ChatOrder['body']): boolean =>
  typeof options === 'object' &&
  options !== null &&
  'include_usage' in options &&
  options.include_usage === true;
