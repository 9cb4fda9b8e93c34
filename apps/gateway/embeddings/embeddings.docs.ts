import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { EmbeddingBody } from '#areas/embeddings/embedding-body.js';
import { ANSWER_HEADERS, GUARD_CODES, RIG_CODES } from '../inference/chat.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { EmbeddingListDto } from './embeddings.dto.js';

const { $schema: _dialect, ...BODY_SCHEMA } = z.toJSONSchema(EmbeddingBody, {
  io: 'input',
  target: 'draft-2020-12',
});

const REQUEST_EXAMPLE = { model: 'quipu-embed-768', input: 'What is a hold?' };

/** Documents the route of embeddings. */
export const EmbeddingsDocs = () =>
  applyDecorators(
    ApiTags('embeddings'),
    Credentials('api-key', 'app-token', 'renter-key'),
    ApiOperation({
      summary: 'Embeddings of texts',
      description:
        'Compatible with OpenAI. `input` is a text, a list of texts, a list of tokens or a list ' +
        'of such lists, by the tokenizer of the model: `cl100k_base` for the built-in ones, its ' +
        'own for a GGUF file. Vectors have length 1; `dimensions` cuts them to length 1 again. ' +
        'The worst-case price is held before any work, and the tokens of the inputs are ' +
        'charged before the answer. Other fields are passed to an upstream unchanged; a built-in ' +
        'model refuses them by name.',
    }),
    ApiBody({ schema: { ...(BODY_SCHEMA as object), example: REQUEST_EXAMPLE } }),
    ApiOkResponse({
      type: EmbeddingListDto,
      description: 'The embeddings, in the order of the inputs.',
      headers: ANSWER_HEADERS,
    }),
    FailsWith(...RIG_CODES, ...GUARD_CODES),
  );
