import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ModerationBody } from '#areas/embeddings/scores/scoring-asked.js';
import { ANSWER_HEADERS, GUARD_CODES, RIG_CODES } from '../inference/chat.docs.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { ModerationDto } from './moderations.dto.js';

const { $schema: _dialect, ...BODY_SCHEMA } = z.toJSONSchema(ModerationBody, {
  io: 'input',
  target: 'draft-2020-12',
});

const REQUEST_EXAMPLE = { input: 'I will tie a knot.' };

/** Documents the route of moderations. */
export const ModerationsDocs = () =>
  applyDecorators(
    ApiTags('embeddings'),
    Credentials('api-key', 'app-token', 'renter-key'),
    ApiOperation({
      summary: 'Verdicts on texts and images',
      description:
        'Compatible with OpenAI, by a model of kind `moderation` of the catalog; without ' +
        '`model`, by the first one. The worst-case price is held before any work, and the ' +
        'tokens are charged before the answer. An upstream that states no usage is counted at ' +
        '8 bytes a token; images then cost nothing.',
    }),
    ApiBody({ schema: { ...(BODY_SCHEMA as object), example: REQUEST_EXAMPLE } }),
    ApiOkResponse({ type: ModerationDto, description: 'The verdicts.', headers: ANSWER_HEADERS }),
    FailsWith(...RIG_CODES, ...GUARD_CODES),
  );
