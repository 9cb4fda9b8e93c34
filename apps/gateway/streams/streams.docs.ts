import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { EVENT_ID_PATTERN } from './resumption.js';

/** The header by which a client resumes. */
export const LastEventIdDocs = (description: string): MethodDecorator =>
  ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description,
    schema: { type: 'string', pattern: EVENT_ID_PATTERN },
  });

/** Documents a route whose streams can be resumed. */
export const ResumableDocs = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'X-Quipu-Resumable',
      required: false,
      description:
        'With `true`, each event of a stream has an id, and the stream runs on for a while when ' +
        'its caller is disconnected. It is charged once, for the generated text, read or not.',
      schema: { type: 'string', enum: ['true', 'false'] },
    }),
    LastEventIdDocs(
      'The id of the last event that was received of a resumable stream, with the body of its ' +
        'request: the rest is sent, and nothing is charged.',
    ),
  );
