import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { z } from 'zod';
import { ANSWER_HEADERS, CHAT_CODES } from '../inference/chat.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { MessagesBody } from './messages.body.js';

const { $schema: _dialect, ...BODY_SCHEMA } = z.toJSONSchema(
  MessagesBody.extend({
    messages: z
      .array(
        z.looseObject({
          role: z.enum(['user', 'assistant']),
          content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
        }),
      )
      .min(1),
    system: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).optional(),
  }),
  { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' },
);

const REQUEST_EXAMPLE = {
  model: 'quipu/nano',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'What is Quipu?' }],
};

const ANSWER_EXAMPLE = {
  id: 'msg_01995f2c',
  type: 'message',
  role: 'assistant',
  model: 'quipu/nano',
  content: [{ type: 'text', text: 'Quipu is …', citations: null }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 14, output_tokens: 21 },
};

const STREAM_EXAMPLE =
  'event: content_block_delta\n' +
  'data: {"type":"content_block_delta","index":0,' +
  '"delta":{"type":"text_delta","text":"Quipu"}}\n\n' +
  ': x-quipu-cost-usd=0.000004 x-quipu-available-usd=9.999996 x-quipu-event-id=2f0c…\n\n' +
  'event: message_stop\ndata: {"type":"message_stop"}\n\n';

/** Documents the route of Anthropic's Messages. */
export const CreateMessageDocs = () =>
  applyDecorators(
    ApiOperation({
      summary: "Anthropic's Messages, whole or as server-sent events",
      description:
        'For clients of Anthropic, with the models of this gateway. A rig answers as in a chat, ' +
        'with the hold, the charge and the headers of one. Texts, images, tools and their ' +
        'results are translated; what a chat cannot express (thinking, documents, tools of ' +
        'Anthropic) is refused by name. A stream states the tokens of the prompt in ' +
        '`message_delta`. It ends with `message_stop`, or with `error`.',
    }),
    ApiBody({ schema: { ...(BODY_SCHEMA as object), example: REQUEST_EXAMPLE } }),
    ApiOkResponse({
      description: 'The message.',
      headers: ANSWER_HEADERS,
      content: {
        'application/json': { schema: { type: 'object' }, example: ANSWER_EXAMPLE },
        'text/event-stream': { schema: { type: 'string' }, example: STREAM_EXAMPLE },
      },
    }),
    FailsWith(...CHAT_CODES),
  );
