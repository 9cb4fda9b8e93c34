import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { REQUEST_LIMITS, type RequestLimits } from '#areas/inference/ports.js';
import { type StreamHistory } from '#platform/runtime/subscriptions/stream-follower.js';
import { OpenRequests } from '../../operations/open-requests.js';

/** Waits for the ends of streams of the log on behalf of requests. */
@Injectable()
export class StreamEnds {
  constructor(
    private readonly requests: OpenRequests,
    @Inject(REQUEST_LIMITS) private readonly limits: RequestLimits,
  ) {}

  /**
   * Resolves after the last event of the stream, or when the request may wait no longer: its time
   * is over, its caller has left, or the process stops. The followed work continues then.
   * @param msMax where the request waits less long than any request may
   */
  async wait(
    { follow }: StreamHistory<unknown>,
    reply: FastifyReply,
    msMax: number = this.limits.requestMsMax,
  ): Promise<void> {
    const waitMs = Math.min(msMax, this.limits.requestMsMax);
    if (reply.raw.destroyed || waitMs === 0) return;
    await this.requests.whileConnected(reply.raw, waitMs, async ({ signal }) => {
      const events = follow(signal);
      let step = await events.next();
      while (step.done !== true) step = await events.next();
    });
  }
}
