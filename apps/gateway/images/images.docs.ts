import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ImageBody } from '#areas/images/image-body.js';
import { imagesFailures } from '#areas/images/images.errors.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { GUARD_CODES } from '../inference/chat.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { ImageResultDto } from './images.dto.js';

const { $schema: _dialect, ...BODY_SCHEMA } = z.toJSONSchema(ImageBody, {
  io: 'input',
  target: 'draft-2020-12',
});

const REQUEST_EXAMPLE = { prompt: 'a large red star on a striped blue background' };

const FORM = {
  type: 'object',
  required: ['image', 'prompt'],
  properties: {
    image: { type: 'string', format: 'binary', description: 'A PNG file.' },
    prompt: { type: 'string' },
    strength: { type: 'number', minimum: 0, maximum: 1, default: 0.6 },
    model: { type: 'string' },
    size: { type: 'string' },
    n: { type: 'integer', minimum: 1, maximum: 10 },
    seed: { type: 'integer' },
    response_format: { type: 'string', enum: ['url', 'b64_json'] },
  },
};

const ImageDocs = (summary: string, description: string) =>
  applyDecorators(
    ApiTags('images'),
    Credentials('api-key', 'app-token', 'renter-key'),
    ApiOperation({ summary, description }),
    ApiOkResponse({ type: ImageResultDto, description: 'The pictures, each with its claim.' }),
    FailsWith(
      'image_field_unsupported',
      'images_not_priced',
      'request_timed_out',
      ...GUARD_CODES,
      ...imagesFailures.flatMap(({ codes }) => Object.keys(codes)),
    ),
  );

export const GenerateImagesDocs = () =>
  applyDecorators(
    ImageDocs(
      'Make pictures of a text',
      'Compatible with OpenAI. The embedded model `quipu-scenes` draws simple scenes: a shape, ' +
        'its colour, size, number and place, and a background. `revised_prompt` says what was ' +
        'drawn and which words were not understood. It answers under its own name where no ' +
        'model, or the default `flux-schnell` without an upstream, is asked for. The same seed ' +
        'gives the same file but for its claim; the pixels are the same.',
    ),
    ApiBody({ schema: { ...(BODY_SCHEMA as object), example: REQUEST_EXAMPLE } }),
  );

export const EditImageDocs = () =>
  applyDecorators(
    ImageDocs(
      'Make pictures of a picture and a text',
      'Compatible with OpenAI, without masks. The embedded model starts from the picture, cut to ' +
        'a square and resampled to its pixels, with as much noise as `strength` says.',
    ),
    ApiConsumes('multipart/form-data'),
    ApiBody({ schema: FORM }),
    FailsWith('image_unreadable', 'invalid_form', 'too_many_uploads'),
  );
