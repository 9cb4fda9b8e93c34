import { applyDecorators, SetMetadata, type Type, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { ApplicationFailures } from '../openapi/failures.docs.js';
import { type AttemptSettler } from './attempt-settler.js';
import { IDEMPOTENT, IDEMPOTENCY_HEADER } from './idempotency.metadata.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';

export interface IdempotentOptions {
  /**
   * For a route that charges: the provider that settles attempts that were left, each of which has
   * a request id of its own. Without it the route only creates: a retry of an attempt that was left
   * runs under the request id of the first one, so that the ids derived from it are the same and
   * the creation lands once.
   */
  readonly settle?: Type<AttemptSettler>;
  /**
   * `value`: the method returns what is sent as JSON. `written`: it writes the reply itself, passes
   * all of it to the tap of `@CurrentAttempt()`, and returns an `AnswerEnd`.
   */
  readonly reply?: 'value' | 'written';
  /** How failures of the route are documented. */
  readonly failures?: typeof ApplicationFailures;
}

/**
 * A request with an `Idempotency-Key` is carried out once for each account, key and body; a
 * repeated one gets the first answer again. The route needs a guard that sets the caller.
 */
export const Idempotent = ({
  settle,
  reply = 'value',
  failures = ApplicationFailures,
}: IdempotentOptions = {}): MethodDecorator =>
  applyDecorators(
    SetMetadata(IDEMPOTENT, { settle, reply }),
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: IDEMPOTENCY_HEADER,
      required: false,
      description:
        settle === undefined
          ? 'The same key and body get the first answer again, for 24 hours.'
          : 'The same key and body get the first answer again, uncharged, for 24 hours.',
    }),
    failures(400, 409),
  );
