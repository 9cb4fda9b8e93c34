import { type Dialect } from '../dialect.js';
import { bedrockErrors } from './bedrock-errors.js';
import { converseAnswer, converseFailure, ConverseReader } from './converse-answer.js';
import { converseBody } from './converse-request.js';
import { eventFrames } from './event-frames.js';

/** Amazon Bedrock's Converse, whose streams are frames of bytes. */
export const bedrockDialect = (): Dialect => ({
  chat: ({ body }, isStream) => {
    const model = encodeURIComponent(String(body['model']));
    const operation = isStream ? 'converse-stream' : 'converse';
    return { path: `/model/${model}/${operation}`, body: JSON.stringify(converseBody(body)) };
  },
  answer: converseAnswer,
  failure: converseFailure,
  reader: (request) => new ConverseReader(request),
  frames: eventFrames,
  errors: bedrockErrors,
});
