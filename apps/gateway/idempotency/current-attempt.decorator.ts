import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { type BytesTap } from './answer-recorder.js';

declare module 'fastify' {
  interface FastifyRequest {
    attempt?: RequestAttempt;
  }
}

/** The attempt of a request with an `Idempotency-Key`. */
export interface RequestAttempt {
  /** A method that writes the reply itself passes every sent byte to the tap. */
  readonly tap: BytesTap;
  /** As in `StartedRequest`. */
  readonly firstAttempt: string;
  /** As in `StartedRequest`. */
  readonly confirm: () => Promise<boolean>;
  /** The time of the key's lookup, by `performance.now()`. */
  readonly startedAt: number;
}

/** The attempt, or undefined if the request has no `Idempotency-Key`. */
export const CurrentAttempt = createParamDecorator(
  (_: unknown, context: ExecutionContext): RequestAttempt | undefined =>
    context.switchToHttp().getRequest<FastifyRequest>().attempt,
);
