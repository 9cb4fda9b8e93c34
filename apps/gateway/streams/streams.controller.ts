import { Controller, Get, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { ResumableStreams } from './resumable-streams.js';
import { lastEventIdOf, notAnEvent, placeOf, type StreamPlace } from './resumption.js';
import { LastEventIdDocs } from './streams.docs.js';
import { CancelledStreamDto, StreamIdDto } from './streams.dto.js';

const EXAMPLE =
  'id: 01980000-0000-7000-8000-000000000001-12\n' +
  'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" knots"}}]}' +
  '\n\n';

/** Streams of answers, whatever their interface. */
@ApiTags('streams')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('v1/streams')
export class StreamsController {
  constructor(private readonly streams: ResumableStreams) {}

  @Get(':stream_id')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Resume a stream',
    description:
      'The events of a stream that was asked for with `X-Quipu-Resumable: true`, from any ' +
      'gateway, as they were sent: those after `Last-Event-ID`, or all, then live until its end. ' +
      'Reading costs nothing. A stream whose gateway has stopped ends with an error ' +
      '`stream_lost` after what was kept of it.',
  })
  @LastEventIdDocs('The id of the last event that was received. Default: from the first event.')
  @ApiOkResponse({
    description: 'The events, each with its id.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @FailsWith('stream_not_found', 'too_many_resumed_streams', 'stream_lost')
  resume(
    @Param() { stream_id: streamId }: StreamIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.streams.resume(placeIn(streamId, request), caller, reply);
  }

  @Post(':stream_id/cancel')
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent()
  @ApiOperation({
    summary: 'Cancel a stream',
    description:
      'A resumable stream runs on when its caller disconnects. This ends it, at any gateway: it ' +
      'is charged for the text that was generated until then.',
  })
  @ApiOkResponse({ type: CancelledStreamDto, description: 'The stream is cancelled.' })
  @FailsWith('stream_not_found')
  async cancel(
    @Param() { stream_id: id }: StreamIdDto,
    @CurrentCaller() caller: Caller,
  ): Promise<CancelledStreamDto> {
    const isCancelled = await this.streams.cancel(id, caller);
    return { id, object: 'stream', status: isCancelled ? 'cancelling' : 'ended' };
  }
}

const placeIn = (streamId: string, { headers }: FastifyRequest): StreamPlace => {
  const lastEventId = lastEventIdOf(headers);
  if (lastEventId === undefined) return { streamId, after: 0 };
  const place = placeOf(lastEventId);
  if (place.streamId !== streamId) throw notAnEvent();
  return place;
};
