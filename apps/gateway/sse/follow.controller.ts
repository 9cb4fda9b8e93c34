import { Controller, Get, Headers, Param, Res, type Type, UseGuards } from '@nestjs/common';
import { type Query, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import {
  type LoggedEvent,
  type StreamHistory,
} from '#platform/runtime/subscriptions/stream-follower.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { FollowedEventsDocs, revisionOf } from './followed-events.js';
import { LogEventStreams, STREAMS_PER_ACCOUNT_MAX } from './log-event-streams.js';

/** A stream of the log that a client follows, event by event. */
export interface Followed<Event> {
  /** The area, which is the tag of the route. */
  readonly area: string;
  /** The route; its parameter is `id`. */
  readonly path: string;
  /** Such as `job`. */
  readonly noun: string;
  /** Of the class, which the id of the operation is made of. */
  readonly name: string;
  /** The end of "The stream ends after". */
  readonly endsAfter: string;
  /** The first events, as a client receives them. */
  readonly example: string;
  /** The domain errors of its history. */
  readonly failures: readonly string[];
  /** The domain error of an account with too many streams. */
  readonly tooMany: string;
  readonly history: (
    id: string,
    reader: Reader,
    after: bigint | null,
  ) => Query<StreamHistory<Event>>;
  readonly present: (logged: LoggedEvent<Event>) => string;
}

/** The route that writes the events of one stream of the log as server-sent events. */
export const followController = <Event>(followed: Followed<Event>): Type => {
  const { area, path, noun, endsAfter, example, history, present } = followed;
  const tooMany = (): DomainError =>
    new DomainError(
      followed.tooMany,
      `the account follows ${STREAMS_PER_ACCOUNT_MAX} ${noun}s, the most at the same time`,
    );

  @ApiTags(area)
  @Credentials('api-key', 'app-token', 'renter-key')
  @UseGuards(ApiGuard)
  @Scope('inference')
  @Controller()
  class FollowController {
    constructor(
      private readonly queries: QueryBus,
      private readonly streams: LogEventStreams,
    ) {}

    @Get(path)
    @ApiOperation({
      summary: `Follow a ${noun}`,
      description:
        `Server-sent events: each event of the ${noun}, the past ones first. The stream ends ` +
        `after ${endsAfter}, after \`QUIPU_EVENT_STREAM_SECONDS\`, or when the gateway stops. ` +
        'Resume with `Last-Event-ID`.',
    })
    @ApiParam({ name: 'id', description: `The id of the ${noun}.` })
    @FollowedEventsDocs(example)
    @FailsWith(...followed.failures, followed.tooMany)
    async follow(
      @Param('id') id: string,
      @Headers('last-event-id') lastEventId: string | undefined,
      @CurrentCaller() caller: Caller,
      @Res() reply: FastifyReply,
    ): Promise<void> {
      const after = revisionOf(lastEventId, noun);
      const { follow } = await this.queries.execute(history(id, readerOf(caller), after));
      const presented = async function* (signal: AbortSignal): AsyncGenerator<string> {
        for await (const logged of follow(signal)) yield present(logged);
      };
      const { accountId } = caller;
      await this.streams.write({ accountId, follow: presented, tooMany }, reply);
    }
  }
  Object.defineProperty(FollowController, 'name', { value: followed.name });
  return FollowController;
};
