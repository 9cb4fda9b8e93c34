import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { HttpFailure } from '../errors/http-failure.js';

/** Counting is free, so what it parses is less than what a chat may send. */
export const COUNTED_BODY_BYTES_MAX = 1_048_576;

/**
 * Rejects a body that is too large to be counted, or of unknown size, before it is read. The body
 * of an account without money has the lower limit of every route.
 */
@Injectable()
export class CountedBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const bytes = Number(headers['content-length'] ?? Infinity);
    if (bytes <= COUNTED_BODY_BYTES_MAX) return true;
    throw new HttpFailure({
      status: 413,
      code: 'body_too_large',
      message: `tokens are counted of bodies with a content-length of ${COUNTED_BODY_BYTES_MAX} at most`,
    });
  }
}
