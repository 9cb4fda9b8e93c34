import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { LOGGER } from '#platform/runtime/tokens.js';
import { envelope } from './envelope.js';
import { Failures } from './failures.js';

/** Converts every thrown error to the error envelope of its route. */
@Catch()
export class FailureFilter implements ExceptionFilter {
  constructor(
    private readonly failures: Failures,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const failure = this.failures.of(error);
    if (failure.status >= 500) {
      const { id: requestId, method, url } = request;
      const [path] = url.split('?', 1);
      this.logger.error(
        { err: error, requestId, method, path, code: failure.code },
        'request failed',
      );
    }
    // The writer of a stream that has begun ends it with an error chunk.
    if (reply.raw.headersSent) return;
    if (failure.retryAfterSeconds !== null)
      void reply.header('retry-after', failure.retryAfterSeconds);
    if (failure.status === 401) void reply.header('www-authenticate', 'Bearer');
    const attempts = failure.metadata?.['attempts'];
    if (Array.isArray(attempts)) void reply.header('x-quipu-attempts', attempts.length);
    void reply.status(failure.status).send(envelope(request, failure));
  }
}
