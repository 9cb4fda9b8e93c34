import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { LOGGER } from '#platform/runtime/tokens.js';
import { envelope } from './envelope.js';
import { Failures } from './failures.js';

/** One place turns every throw into the envelope of the route it happened on. */
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
    const told = this.failures.of(error);
    if (told.status >= 500) {
      const { id: requestId, method, url } = request;
      const [path] = url.split('?', 1);
      this.logger.error({ err: error, requestId, method, path, code: told.code }, 'request failed');
    }
    // A stream that has begun is past saving here; its writer ends it with an error chunk.
    if (reply.raw.headersSent) return;
    if (told.retryAfterSeconds !== null) void reply.header('retry-after', told.retryAfterSeconds);
    if (told.status === 401) void reply.header('www-authenticate', 'Bearer');
    const attempts = told.metadata?.['attempts'];
    if (Array.isArray(attempts)) void reply.header('x-quipu-attempts', attempts.length);
    void reply.status(told.status).send(envelope(request, told));
  }
}
