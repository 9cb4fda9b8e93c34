import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { type AnswerTap } from './answer-recorder.js';

declare module 'fastify' {
  interface FastifyRequest {
    attempt?: RequestAttempt;
  }
}

/** The attempt that a request with an `Idempotency-Key` is. */
export interface RequestAttempt {
  /** A method that writes the reply itself passes everything it sends to it. */
  readonly tap: AnswerTap;
  /** As in `StartedAttempt`. */
  readonly confirm: () => Promise<boolean>;
  /** When the key was looked up, by `performance.now()`. */
  readonly startedAt: number;
}

/** The attempt, or undefined where the request has no `Idempotency-Key`. */
export const CurrentAttempt = createParamDecorator(
  (_: unknown, context: ExecutionContext): RequestAttempt | undefined =>
    context.switchToHttp().getRequest<FastifyRequest>().attempt,
);
