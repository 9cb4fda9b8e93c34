import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ANSWER_HEADERS, CHAT_CODES } from '../inference/chat.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { responseBodySchema } from './responses.schema.js';

const RESPONSE_EXAMPLE = {
  id: 'resp_0123456789abcdef0123456789abcdef',
  object: 'response',
  created_at: 1_795_236_480,
  status: 'completed',
  model: 'quipu/nano',
  output: [
    {
      id: 'msg_0123456789abcdef0123456789abcdef0',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'Quipu is …' }],
    },
  ],
  usage: { input_tokens: 14, output_tokens: 21, total_tokens: 35 },
  store: true,
};

export const RESPONSE_SCHEMA = {
  type: 'object' as const,
  additionalProperties: true,
  example: RESPONSE_EXAMPLE,
};

const STREAM_EXAMPLE =
  'event: response.output_text.delta\n' +
  'data: {"type":"response.output_text.delta","output_index":0,"content_index":0,' +
  '"delta":"Quipu","sequence_number":4}\n\n' +
  ': x-quipu-cost-usd=0.000004 x-quipu-available-usd=9.999996 x-quipu-event-id=2f0c…\n\n' +
  'event: response.completed\n' +
  'data: {"type":"response.completed","response":{"status":"completed"},"sequence_number":9}\n\n';

/** Documents the creation of a response. */
export const CreateResponseDocs = () =>
  applyDecorators(
    ApiOperation({
      summary: 'Create a response, whole or as server-sent events',
      description:
        'A rig answers it as a chat, with the hold, the charge and the headers of one. Unless ' +
        '`store` is false, input and output are kept, encrypted with a key of the user, and ' +
        '`previous_response_id` continues them; `instructions` are not carried over. With ' +
        '`background` the answer is `queued`: poll it. The tool `file_search` searches ' +
        'vector stores by the last text of the user before the chat, for the price of searches; ' +
        'numbers in brackets become citations. The tool `mcp` gives the model the allowed tools ' +
        'of a registered MCP server: each call, and the chat after it, has a hold and a charge ' +
        'of its own. Other built-in tools, conversations and ' +
        'references to files are refused by name. A stream ends with `response.completed`, ' +
        '`response.incomplete` or `response.failed`, after a comment with the cost.',
    }),
    ApiBody({ schema: responseBodySchema }),
    ApiOkResponse({
      description: 'The response. `store` says whether it can be retrieved.',
      headers: ANSWER_HEADERS,
      content: {
        'application/json': { schema: { type: 'object' }, example: RESPONSE_EXAMPLE },
        'text/event-stream': { schema: { type: 'string' }, example: STREAM_EXAMPLE },
      },
    }),
    FailsWith(...CHAT_CODES),
  );
