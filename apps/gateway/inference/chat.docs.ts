import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { TEMPERATURE_DEFAULT } from '#platform/chats/chat-defaults.js';
import { inferenceErrors } from '#areas/inference/inference.errors.js';
import { inferenceFailures } from '#areas/inference/inference.failures.js';
import { guardErrors } from '#platform/chats/chat-guards.port.js';
import { AUTO, RIG_NAME_LENGTH_MAX } from '#areas/inference/routing-modes.js';
import { shardingErrors, shardingFailures } from '#areas/sharding/sharding.errors.js';
import { spikingErrors, spikingFailures } from '#areas/spiking/spiking.errors.js';
import { swarmErrors, swarmFailures } from '#areas/swarm/swarm.errors.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { DocumentedChatBody } from '#areas/inference/chat-body.js';

/** The codes of requests that rigs do not answer. */
export const RIG_CODES = inferenceFailures.flatMap(({ codes }) => Object.keys(codes));

/** The codes of requests that a rule of the operator rejects. */
export const GUARD_CODES = Object.keys(guardErrors);

/** The codes of the areas whose engines answer chats in their routing modes. */
const MODE_CODES = [
  ...Object.keys({ ...spikingErrors, ...swarmErrors, ...shardingErrors }),
  ...[...spikingFailures, ...swarmFailures, ...shardingFailures].flatMap(({ codes }) =>
    Object.keys(codes),
  ),
];

const OF_OTHER_ROUTES = ['token_count_unavailable', 'snn_batch_not_found'];

/** The codes of chats, in every interface. */
export const CHAT_CODES = [
  ...Object.keys(inferenceErrors),
  ...GUARD_CODES,
  ...RIG_CODES,
  ...MODE_CODES,
].filter((code) => !OF_OTHER_ROUTES.includes(code));

const REQUEST_EXAMPLE = {
  model: 'quipu/nano',
  messages: [{ role: 'user', content: 'What is Quipu?' }],
  routing_mode: 'auto',
};

const ANSWER_EXAMPLE = {
  id: 'chatcmpl-5f2c',
  object: 'chat.completion',
  created: 1_795_236_480,
  model: 'quipu/nano',
  routing_mode: 'auto',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Quipu is …' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 14, completion_tokens: 21, total_tokens: 35 },
};

const STREAM_EXAMPLE =
  'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant",' +
  '"content":""},"finish_reason":null}],"routing_mode":"auto"}\n\n' +
  ': x-quipu-cost-usd=0.000004 x-quipu-available-usd=9.999996 x-quipu-event-id=2f0c…\n\n' +
  'data: [DONE]\n\n';

/** The JSON Schema of the body; `openApiDocument` adds the modes of the areas. */
const { $schema: _dialect, ...BODY_SCHEMA } = z.toJSONSchema(
  DocumentedChatBody.extend({
    routing_mode: z
      .union([z.enum([AUTO]), z.string().regex(new RegExp(`^rig_.{1,${RIG_NAME_LENGTH_MAX}}$`))])
      .default(AUTO)
      .describe(
        '`rig_{id}` pins one rig. `snn_spiking`, `hybrid_*` and `pattern_*` run a spiking ' +
          'network on the text of the last message. `sharded_pipeline` divides the layers of the ' +
          'model among processes. Modes without an engine yet answer 501.',
      ),
    temperature: DocumentedChatBody.shape.temperature.default(TEMPERATURE_DEFAULT),
  }),
  { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' },
);

/** The body of a chat. */
export const CHAT_BODY = { schema: { ...(BODY_SCHEMA as object), example: REQUEST_EXAMPLE } };

const answerHeader = (description: string, example: string) => ({
  description,
  schema: { type: 'string' as const, example },
});

/** The headers of every answer of a chat, in whatever interface. */
export const ANSWER_HEADERS = {
  'x-request-id': answerHeader('The id of the request, and of its events.', '0198…'),
  'x-quipu-rig': answerHeader('The rig that answered.', 'built-in'),
  'x-quipu-attempts': answerHeader('The number of rigs that the gateway called.', '1'),
  'x-quipu-resumable': answerHeader('Whether a stream that asked for it can be resumed.', 'true'),
  'x-quipu-overhead-ms': answerHeader('Milliseconds in the gateway, without the rigs.', '0.412'),
  'x-quipu-cost-usd': answerHeader('The charge. A stream sends it in a comment.', '0.000004'),
  'x-quipu-available-usd': answerHeader('The balance without the open holds.', '9.999996'),
  'x-quipu-event-id': answerHeader('The event with the charge.', '2f0c…'),
};

/** Documents the route of chat completions. */
export const ChatCompletionDocs = () =>
  applyDecorators(
    ApiTags('inference'),
    Credentials('api-key', 'app-token', 'renter-key'),
    ApiOperation({
      summary: 'Chat completion, whole or as server-sent events',
      description:
        'Compatible with OpenAI. The worst-case price is held before any work. The charge is ' +
        'durable before the answer ends. Other fields are passed to the rig unchanged, except ' +
        'fields that belong to its operator, such as `priority` or `best_of`: they are rejected ' +
        'by name, and so are fields that the built-in engine does not support. While no rig can ' +
        'serve the model the answer is 503 with `Retry-After`. A caller that disconnects after ' +
        'the rig has accepted the request pays for the prompt and for the sent part. With ' +
        '`stream` the answer is `text/event-stream`: chunks, a comment with the cost, ' +
        '`data: [DONE]`. With `X-Quipu-Resumable: true` a client resumes it after a lost ' +
        'connection.',
    }),
    ApiBody(CHAT_BODY),
    ApiOkResponse({
      description: 'The completion.',
      headers: ANSWER_HEADERS,
      content: {
        'application/json': { schema: { type: 'object' }, example: ANSWER_EXAMPLE },
        'text/event-stream': { schema: { type: 'string' }, example: STREAM_EXAMPLE },
      },
    }),
    FailsWith(...CHAT_CODES),
  );
