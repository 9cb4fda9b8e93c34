import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOkResponse } from '@nestjs/swagger';
import { HttpFailure } from '../errors/http-failure.js';

const REVISION = '^[0-9]{1,18}$';

/** Documents a route that writes events of the log as server-sent events. */
export const FollowedEventsDocs = (example: string): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'The id of the last event that was received: the stream begins after it.',
      schema: { type: 'string', pattern: REVISION },
    }),
    ApiOkResponse({
      description: 'The events, the id of each being its revision.',
      content: { 'text/event-stream': { schema: { type: 'string' }, example } },
    }),
  );

/**
 * The revision after which a client resumes; null for all events.
 * @param written the header `Last-Event-ID`
 * @param followed what the events are of, for the failure
 * @throws HttpFailure 400
 */
export const revisionOf = (written: string | undefined, followed: string): bigint | null => {
  if (written === undefined || written === '') return null;
  if (new RegExp(REVISION).test(written)) return BigInt(written);
  throw new HttpFailure({
    status: 400,
    code: 'invalid_request',
    message: `Last-Event-ID must be the id of an event of the ${followed}`,
    param: 'Last-Event-ID',
  });
};
