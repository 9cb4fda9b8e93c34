import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { RerankBody } from '#areas/embeddings/rerank.js';
import { ANSWER_HEADERS, GUARD_CODES, RIG_CODES } from '../inference/chat.docs.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { RerankDto } from './rerank.dto.js';

const { $schema: _dialect, ...BODY_SCHEMA } = z.toJSONSchema(RerankBody, {
  io: 'input',
  target: 'draft-2020-12',
});

const REQUEST_EXAMPLE = {
  model: 'quipu-embed-768',
  query: 'What is a hold?',
  documents: ['A quipu has knots.', 'A hold reserves the worst case.'],
  top_n: 1,
};

/** Documents the route of rankings. */
export const RerankDocs = () =>
  applyDecorators(
    ApiTags('embeddings'),
    Credentials('api-key', 'app-token', 'renter-key'),
    ApiOperation({
      summary: 'Documents by their nearness to a query',
      description:
        'With the bodies of Cohere and Jina. A model of kind `rerank` of the catalog ranks by ' +
        'itself, at the price of its tokens and searches. By an embedding model the query and ' +
        'the documents are embedded, and ranked by the cosine: it is held and charged as ' +
        'embeddings of all of them.',
    }),
    ApiBody({ schema: { ...(BODY_SCHEMA as object), example: REQUEST_EXAMPLE } }),
    ApiOkResponse({ type: RerankDto, description: 'The ranking.', headers: ANSWER_HEADERS }),
    FailsWith(...RIG_CODES, ...GUARD_CODES),
  );
