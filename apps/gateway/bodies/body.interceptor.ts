import { type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { type Observable } from 'rxjs';
import { type BodyReading, isUnread, readBody } from './unread-body.js';

/**
 * Reads the body of a request. Nest runs interceptors after the guards, so a request with bad
 * credentials is rejected before a byte of its body is read. This one is the first interceptor.
 */
export class BodyInterceptor implements NestInterceptor {
  constructor(private readonly reading: BodyReading) {}

  intercept(
    context: ExecutionContext,
    next: CallHandler,
  ): Observable<unknown> | Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (!isUnread(request)) return next.handle();
    return readBody(this.reading, request, http.getResponse()).then(() => next.handle());
  }
}
