import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { EVENT_STREAM_MS, KEEP_ALIVE_MS } from '#areas/streams/streams.settings.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { type OpenRequest, OpenRequests } from '../../operations/open-requests.js';
import { applicationEnvelope } from '../errors/envelope.js';
import { FailureLog } from '../errors/failure-log.js';
import { Failures } from '../errors/failures.js';
import { namedEvent, SSE_HEADERS, SseWriter } from './sse.js';

/** The streams that an account may have open in one process. */
export const STREAMS_PER_ACCOUNT_MAX = 20;

/** Events of the log that a client follows. */
export interface FollowedEvents {
  readonly accountId: string;
  /** Each as a server-sent event; ends without an error when the signal aborts. */
  readonly follow: (signal: AbortSignal) => AsyncIterable<string>;
  /** The error of a stream above `STREAMS_PER_ACCOUNT_MAX`. */
  readonly tooMany: () => Error;
}

/**
 * Writes events of the log as server-sent events. A client resumes a stream that has ended. A
 * provider of each HTTP module that has such streams, which counts them.
 */
@Injectable()
export class LogEventStreams {
  readonly #open = new Map<string, Set<OpenRequest>>();

  constructor(
    private readonly requests: OpenRequests,
    private readonly failures: Failures,
    private readonly failureLog: FailureLog,
    @Inject(KEEP_ALIVE_MS) private readonly keepAliveMs: number,
    @Inject(EVENT_STREAM_MS) private readonly streamMsMax: number,
    processEvents: ProcessEvents,
  ) {
    // The followed work may last much longer than a drain.
    processEvents.onDrain(() => {
      for (const streams of this.#open.values()) {
        for (const stream of streams) stream.cut('shut_down');
      }
      return Promise.resolve();
    });
  }

  /**
   * Resolves at the end of the stream.
   * @throws the error for too many streams; RequestCutError while the process drains
   */
  async write(followed: FollowedEvents, reply: FastifyReply): Promise<void> {
    const { accountId } = followed;
    if (reply.request.method === 'HEAD') {
      void reply.headers(SSE_HEADERS).send();
      return;
    }
    const streams = this.#open.get(accountId) ?? new Set();
    if (streams.size >= STREAMS_PER_ACCOUNT_MAX) throw followed.tooMany();
    await this.requests.whileConnected(reply.raw, this.streamMsMax, async (open) => {
      this.#open.set(accountId, streams.add(open));
      try {
        await this.#pump(followed, reply, open.signal);
      } finally {
        streams.delete(open);
        if (streams.size === 0) this.#open.delete(accountId);
      }
    });
  }

  async #pump({ follow }: FollowedEvents, reply: FastifyReply, signal: AbortSignal): Promise<void> {
    reply.hijack();
    const headers = { ...(reply.getHeaders() as Record<string, string>), ...SSE_HEADERS };
    reply.raw.writeHead(200, headers);
    reply.raw.flushHeaders();
    const writer = new SseWriter(reply.raw, this.keepAliveMs, signal);
    try {
      for await (const event of follow(signal)) {
        await writer.write(event);
        if (signal.aborted) break;
      }
    } catch (error) {
      const failure = this.failures.of(error);
      this.failureLog.write({ request: reply.request, reply, failure, error });
      await writer.write(namedEvent('error', null, applicationEnvelope(failure)));
    } finally {
      writer.end();
    }
  }
}
