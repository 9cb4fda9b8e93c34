import { type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { type Observable } from 'rxjs';
import { type Receptions } from './receptions.js';
import { isUnread, readBody } from './unread-body.js';

/**
 * Reads the body of a request. Nest runs interceptors after the guards, so a request with bad
 * credentials is rejected before a byte of its body is read. This one is the first interceptor.
 */
export class BodyInterceptor implements NestInterceptor {
  constructor(private readonly receptions: Receptions) {}

  intercept(
    context: ExecutionContext,
    next: CallHandler,
  ): Observable<unknown> | Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (!isUnread(request)) return next.handle();
    return readBody(this.receptions, request, http.getResponse()).then(() => next.handle());
  }
}
