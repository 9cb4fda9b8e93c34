import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { rejectedRateHeaders } from '../identity/rate-limit.headers.js';
import { envelope } from './envelope.js';
import { type FailureLog } from './failure-log.js';
import { Failures } from './failures.js';

/** Converts every thrown error to the error envelope of its route. */
@Catch()
export class FailureFilter implements ExceptionFilter {
  constructor(
    private readonly failures: Failures,
    private readonly log: FailureLog,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest(), http.getResponse());
  }

  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const failure = this.failures.of(error);
    this.log.write({ request, reply, failure, error });
    // The writer of a stream that has begun ends it with an error chunk.
    if (reply.raw.headersSent) return;
    if (failure.retryAfterSeconds !== null)
      void reply.header('retry-after', failure.retryAfterSeconds);
    if (failure.status === 429) void reply.headers(rejectedRateHeaders(failure));
    if (failure.status === 401) void reply.header('www-authenticate', 'Bearer');
    const attempts = failure.metadata?.['attempts'];
    if (Array.isArray(attempts)) void reply.header('x-quipu-attempts', attempts.length);
    void reply.status(failure.status).send(envelope(request, failure));
  }
}
