import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ANSWER_HEADERS, CHAT_CODES } from '../inference/chat.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { CompletionBody, PROMPTS_MAX } from '#areas/inference/completions/completion-body.js';

const { $schema: _dialect, ...BODY_SCHEMA } = z.toJSONSchema(
  CompletionBody.extend({
    prompt: z
      .union([z.string(), z.array(z.string()).min(1).max(PROMPTS_MAX)])
      .describe('Each prompt is the message of a user. Tokens are refused.'),
    max_tokens: CompletionBody.shape.max_tokens.default(16),
  }),
  { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' },
);

const REQUEST_EXAMPLE = { model: 'quipu/nano', prompt: 'Once upon a time', max_tokens: 32 };

const ANSWER_EXAMPLE = {
  id: 'cmpl-5f2c',
  object: 'text_completion',
  created: 1_795_236_480,
  model: 'quipu/nano',
  routing_mode: 'auto',
  choices: [{ index: 0, text: ' there was a knot.', logprobs: null, finish_reason: 'stop' }],
  usage: { prompt_tokens: 14, completion_tokens: 6, total_tokens: 20 },
};

const STREAM_EXAMPLE =
  'data: {"object":"text_completion","choices":[{"index":0,"text":" there","logprobs":null,' +
  '"finish_reason":null}]}\n\n' +
  ': x-quipu-cost-usd=0.000004 x-quipu-available-usd=9.999996 x-quipu-event-id=2f0c…\n\n' +
  'data: [DONE]\n\n';

/** Documents the route of legacy completions. */
export const CompletionDocs = () =>
  applyDecorators(
    ApiTags('inference'),
    Credentials('api-key', 'app-token', 'renter-key'),
    ApiOperation({
      summary: 'Legacy completion, whole or as server-sent events',
      description:
        'For clients of the legacy API. A rig answers each prompt as the message of a user, so ' +
        'the text is a reply, with the template of the model. Several prompts have one hold and ' +
        'one charge, and are answered one after another. `echo` repeats the prompt before the ' +
        'text. `suffix`, tokens as a prompt, and `best_of` other than `n` are refused. All else ' +
        'is as in a chat.',
    }),
    ApiBody({ schema: { ...(BODY_SCHEMA as object), example: REQUEST_EXAMPLE } }),
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
