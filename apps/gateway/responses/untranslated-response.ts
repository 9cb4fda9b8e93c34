import { z } from 'zod';
import { isHosted } from '#areas/responses/translation/response-body.js';
import { type ChatBody } from '#areas/inference/chat-body.js';
import { AUTO, ROUTING_MODE_LENGTH_MAX } from '#areas/inference/routing-modes.js';
import { MESSAGES_MAX } from '#platform/chats/chat-defaults.js';

/** A response that the caller keeps itself; what a hold needs of it, and the rest as it is. */
const UntranslatedBody = z.looseObject({
  model: z.string().min(1).max(256),
  input: z.union([z.string(), z.array(z.looseObject({})).min(1).max(MESSAGES_MAX)]),
  store: z.literal(false),
  previous_response_id: z.null().optional(),
  conversation: z.null().optional(),
  background: z.literal(false).nullish(),
  max_output_tokens: z.int().min(1).max(10_000_000).nullish(),
  stream: z.boolean().nullish(),
  routing_mode: z.string().max(ROUTING_MODE_LENGTH_MAX).default(AUTO),
});

/**
 * The fields of a response under the names of a chat, so that they are counted and held for. Null
 * for one that Quipu keeps or continues, and for one that no rig would take either. Fields that a
 * hold reads otherwise in a chat are left out.
 */
export const untranslatedChatOf = (sent: unknown): ChatBody | null => {
  const read = UntranslatedBody.safeParse(sent);
  if (!read.success) return null;
  const { input, max_output_tokens: limit, n: _n, adapter: _adapter, ...body } = read.data;
  const { max_tokens: _old, max_completion_tokens: _current, ...rest } = body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return {
    ...rest,
    messages: items.map((item) => ({ ...item, role: roleOf(item) })),
    max_tokens: limit,
    timesteps: 1,
  };
};

const roleOf = ({ role }: Readonly<Record<string, unknown>>): string =>
  typeof role === 'string' ? role : 'assistant';

/** Whether an unvalidated body has a tool that the gateway runs itself. */
export const asksHostedTool = (sent: unknown): boolean =>
  BodyWithTools.safeParse(sent).data?.tools.some(({ type }) => isHosted(type)) === true;

const BodyWithTools = z.looseObject({ tools: z.array(z.looseObject({ type: z.unknown() })) });
