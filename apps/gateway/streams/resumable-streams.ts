import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type StreamErrorCode, streamNotFound } from '#areas/streams/streams.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type FollowedStream } from '#platform/kept-streams/followed-stream.js';
import { KeptStreams } from '#platform/kept-streams/kept-streams.js';
import { type StreamKeeper } from '#platform/kept-streams/stream-keeper.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { FailureLog } from '../errors/failure-log.js';
import { Failures } from '../errors/failures.js';
import { LogEventStreams, STREAMS_PER_ACCOUNT_MAX } from '../sse/log-event-streams.js';
import {
  asksForResumable,
  notAnEvent,
  ofAnotherRequest,
  placeOf,
  type StreamPlace,
} from './resumption.js';
import { interruptedEvent, type StreamForm } from './stream-forms.js';

/** An answer that is to be kept. */
export interface AnswerToKeep {
  readonly caller: Caller;
  /** The id of its request, and of the stream. */
  readonly requestId: string;
  /** As `requestHash` gave it. */
  readonly requestHash: string;
  readonly form: StreamForm;
}

/** Keeps streams of answers, and writes the rest of one to a client that has lost a part. */
@Injectable()
export class ResumableStreams {
  constructor(
    private readonly kept: KeptStreams,
    private readonly streams: LogEventStreams,
    private readonly failures: Failures,
    private readonly failureLog: FailureLog,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
  ) {}

  /** How long an answer runs on without a reader. */
  get graceMs(): number {
    return this.kept.graceMs;
  }

  /**
   * The hash of a request that asks for a resumable stream; undefined for any other.
   * @throws HttpFailure 400
   */
  requestHash({ headers, body }: FastifyRequest): string | undefined {
    return asksForResumable(headers) ? this.#hashOf(body) : undefined;
  }

  /** Look at `isKept`: the store may be away. */
  keep({ caller, requestId, requestHash, form }: AnswerToKeep): Promise<StreamKeeper> {
    const { accountId, userId } = caller;
    const subject = `user:${userId}`;
    return this.kept.begin({ streamId: requestId, accountId, subject, requestHash, form });
  }

  /**
   * Answers a repeat of the request that began a stream.
   * @throws HttpFailure 400, DomainError `stream_not_found` or `too_many_resumed_streams`
   */
  async repeat(lastEventId: string, caller: Caller, reply: FastifyReply): Promise<void> {
    const place = placeOf(lastEventId);
    const stream = await this.#find(place, caller);
    if (stream.state.requestHash !== this.#hashOf(reply.request.body)) throw ofAnotherRequest();
    await this.#write(stream, place, caller, reply);
  }

  /** @throws as `repeat` */
  async resume(place: StreamPlace, caller: Caller, reply: FastifyReply): Promise<void> {
    await this.#write(await this.#find(place, caller), place, caller, reply);
  }

  /**
   * Ends the stream, at whatever gateway it runs.
   * @returns false for one that has ended
   * @throws DomainError `stream_not_found`
   */
  async cancel(streamId: string, caller: Caller): Promise<boolean> {
    const stream = await this.#find({ streamId, after: 0 }, caller);
    if (stream.state.end !== 'open') return false;
    await stream.cancel();
    return true;
  }

  async #find({ streamId, after }: StreamPlace, { accountId }: Caller): Promise<FollowedStream> {
    const stream = await this.kept.find(streamId, accountId);
    if (!stream) throw streamNotFound(streamId);
    const { end, events } = stream.state;
    // Of one that runs, the client may have an event that is not written yet.
    if (end === 'ended' && after > events) throw notAnEvent();
    return stream;
  }

  #write(
    stream: FollowedStream,
    { after }: StreamPlace,
    { accountId }: Caller,
    reply: FastifyReply,
  ): Promise<void> {
    const follow = (signal: AbortSignal) => this.#follow(stream, after, signal, reply);
    return this.streams.write({ accountId, follow, tooMany }, reply);
  }

  async *#follow(
    stream: FollowedStream,
    after: number,
    signal: AbortSignal,
    reply: FastifyReply,
  ): AsyncGenerator<string> {
    let events = after;
    try {
      for await (const page of stream.follow(after, signal)) {
        events += page.length;
        yield page.join('');
      }
    } catch (error) {
      const { streamId, state } = stream;
      const failure = this.failures.of(error);
      this.failureLog.write({ request: reply.request, reply, failure, error });
      yield interruptedEvent(state.form, { failure, streamId, events });
    }
  }

  #hashOf(body: unknown): string {
    return this.hash(JSON.stringify(body ?? null));
  }
}

const tooMany = (): DomainError<StreamErrorCode> =>
  new DomainError(
    'too_many_resumed_streams',
    `the account reads ${STREAMS_PER_ACCOUNT_MAX} resumed streams, the most at the same time`,
  );
