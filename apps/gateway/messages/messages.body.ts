import { z } from 'zod';
import { type ChatBody, parseChatBody, TIMESTEPS_MAX } from '#areas/inference/chat-body.js';
import { AUTO, ROUTING_MODE_LENGTH_MAX } from '#areas/inference/routing-modes.js';
import { MESSAGES_MAX } from '#platform/chats/chat-defaults.js';
import { rejectedField, rejectedFields } from '#platform/runtime/commands/rejected-request.js';
import { chatMessagesOf } from './content-blocks.js';

/** A hint that does not change the answer: Quipu has no cache of prompts. */
const CacheControl = z.looseObject({}).nullish();

const Tool = z.strictObject({
  type: z
    .literal('custom', { error: 'tools of Anthropic run on its servers; declare your own' })
    .nullish(),
  name: z.string().min(1).max(128),
  description: z.string().optional(),
  input_schema: z.record(z.string(), z.unknown()),
  strict: z.boolean().optional(),
  cache_control: CacheControl,
  // A hint as well: arguments are sent as they come.
  eager_input_streaming: z.boolean().nullish(),
});

const OutputConfig = z.strictObject({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: z
    .strictObject({
      type: z.literal('json_schema'),
      schema: z.record(z.string(), z.unknown()),
    })
    .nullish(),
});

const Parallel = { disable_parallel_tool_use: z.boolean().optional() };

const ToolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), ...Parallel }),
  z.strictObject({ type: z.literal('any'), ...Parallel }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...Parallel }),
  z.strictObject({ type: z.literal('none') }),
]);

/** Every field is known: what cannot be honoured is refused by its name. */
export const MessagesBody = z.strictObject({
  model: z.string().min(1).max(256),
  max_tokens: z.int().min(1).max(10_000_000),
  messages: z.array(z.unknown()).min(1).max(MESSAGES_MAX),
  system: z.unknown().optional(),
  stop_sequences: z.array(z.string()).max(16).optional(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  tools: z.array(Tool).max(512).optional(),
  tool_choice: ToolChoice.optional(),
  output_config: OutputConfig.optional(),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  thinking: z
    .strictObject({
      type: z.literal('disabled', {
        error: 'thinking is not supported: a chat has no blocks of it',
      }),
    })
    .optional(),
  cache_control: CacheControl,
  routing_mode: z.string().optional(),
  cleanroom_uuid: z.uuid().nullish(),
  timesteps: z.int().min(1).max(TIMESTEPS_MAX).optional(),
  // As in a chat, which checks them.
  provider: z.unknown().optional(),
  models: z.unknown().optional(),
});
type MessagesBody = z.infer<typeof MessagesBody>;

/** @throws RejectedRequestError 400 that names the field */
export const chatOf = (sent: unknown): ChatBody => {
  const read = MessagesBody.safeParse(sent);
  if (!read.success) throw rejectedFields(read.error);
  const body = read.data;
  const messages = chatMessagesOf(body.system, body.messages);
  if (messages.length > MESSAGES_MAX) {
    throw rejectedField('messages', `a chat has at most ${MESSAGES_MAX} messages`);
  }
  return parseChatBody({ ...chatFieldsOf(body), messages });
};

/** The fields that a hold needs of a message which a chat cannot express; others pass. */
const UntranslatedBody = z.looseObject({
  model: z.string().min(1).max(256),
  max_tokens: z.int().min(1).max(10_000_000),
  messages: z
    .array(z.looseObject({ role: z.string() }))
    .min(1)
    .max(MESSAGES_MAX),
  stream: z.boolean().optional(),
  routing_mode: z.string().max(ROUTING_MODE_LENGTH_MAX).default(AUTO),
});

/**
 * The fields of a message under the names of a chat, so that they are counted and held for. Null
 * for a body that no rig would take either. Fields that a hold reads otherwise in a chat are left
 * out.
 */
export const untranslatedChatOf = (sent: unknown): ChatBody | null => {
  const read = UntranslatedBody.safeParse(sent);
  if (!read.success) return null;
  const { n: _n, adapter: _adapter, max_completion_tokens: _limit, ...body } = read.data;
  return { ...body, timesteps: 1 };
};

const chatFieldsOf = (body: MessagesBody): Readonly<Record<string, unknown>> => {
  const { tools, tool_choice: choice, metadata, output_config: output } = body;
  const isSerial =
    choice && 'disable_parallel_tool_use' in choice ? choice.disable_parallel_tool_use : undefined;
  return present({
    model: body.model,
    max_tokens: body.max_tokens,
    stream: body.stream,
    stop: body.stop_sequences,
    temperature: body.temperature,
    top_p: body.top_p,
    top_k: body.top_k,
    tools: tools?.map(({ name, description, input_schema: parameters, strict }) => ({
      type: 'function',
      function: present({ name, description, parameters, strict }),
    })),
    tool_choice: choice && toolChoiceOf(choice),
    parallel_tool_calls: isSerial === undefined ? undefined : !isSerial,
    response_format: output?.format && {
      type: 'json_schema',
      json_schema: { name: 'output', strict: true, schema: output.format.schema },
    },
    reasoning_effort: output?.effort,
    user: metadata?.user_id,
    routing_mode: body.routing_mode,
    cleanroom_uuid: body.cleanroom_uuid,
    timesteps: body.timesteps,
    provider: body.provider,
    models: body.models,
  });
};

const toolChoiceOf = (choice: z.infer<typeof ToolChoice>): unknown => {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type;
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: choice.name } };
  }
};

const present = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
