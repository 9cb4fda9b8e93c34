import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { REQUEST_LIMITS, type RequestLimits } from '#areas/inference/ports.js';
import { type RunReader } from '#areas/workflows/runs/run-access.js';
import { RunHistoryQuery } from '#areas/workflows/runs/run-history.handler.js';
import { OpenRequests } from '../../operations/open-requests.js';

/** Waits for the ends of runs on behalf of requests. */
@Injectable()
export class RunEnds {
  constructor(
    private readonly queries: QueryBus,
    private readonly requests: OpenRequests,
    @Inject(REQUEST_LIMITS) private readonly limits: RequestLimits,
  ) {}

  /**
   * Resolves when the run has ended and is charged, or when the request may wait no longer: its
   * time is over, its caller has left, or the process stops. The run goes on then.
   */
  async wait(runId: string, reader: RunReader, reply: FastifyReply): Promise<void> {
    const open = this.requests.open(this.limits.requestMsMax);
    const leave = (): void => open.cut('client_gone');
    reply.raw.once('close', leave);
    try {
      const history = await this.queries.execute(new RunHistoryQuery(runId, reader, null));
      for await (const { event } of history.follow(open.signal)) {
        if (event.type === 'WorkflowRunSettled' || open.signal.aborted) return;
      }
    } finally {
      reply.raw.off('close', leave);
      open.close();
    }
  }
}
