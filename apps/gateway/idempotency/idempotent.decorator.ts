import { applyDecorators, SetMetadata, type Type, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { FailsWith } from '../openapi/failures.docs.js';
import { type RequestSettler } from './request-settler.js';
import { IDEMPOTENT, IDEMPOTENCY_HEADER } from './idempotency.metadata.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';

export interface IdempotentOptions {
  /**
   * For a route that charges: the provider that settles abandoned attempts, each of which has its
   * own request id. Default: the route only creates. The retry of an abandoned attempt then has the
   * request id of the first one, so that the derived ids are equal and the creation happens once.
   */
  readonly settle?: Type<RequestSettler>;
  /**
   * `value`: the method returns the value to send as JSON. `written`: it writes the reply itself,
   * passes every byte to the tap of `@CurrentAttempt()`, and returns an `AnswerEnd`.
   */
  readonly reply?: 'value' | 'written';
  /**
   * Whether the method itself answers a request with `Last-Event-ID`, which reads the stream of an
   * earlier request and is no attempt.
   */
  readonly resumes?: boolean;
}

const CODES = [
  'invalid_idempotency_key',
  'idempotency_conflict',
  'idempotency_running',
  'idempotency_answer_lost',
  'idempotency_answer_too_large',
];
const PAID_CODES = ['insufficient_balance', 'budget_exceeded'];

/**
 * Runs a request with an `Idempotency-Key` once for each account, key and body. A repeat gets the
 * first answer. The route needs a guard that sets the caller.
 */
export const Idempotent = ({
  settle,
  reply = 'value',
  resumes = false,
}: IdempotentOptions = {}): MethodDecorator =>
  applyDecorators(
    SetMetadata(IDEMPOTENT, { settle, reply, resumes }),
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: IDEMPOTENCY_HEADER,
      required: false,
      description:
        settle === undefined
          ? 'The same key and body get the first answer again, for 24 hours.'
          : 'The same key and body get the first answer again, uncharged, for 24 hours.',
    }),
    FailsWith(...CODES, ...(settle === undefined ? [] : PAID_CODES)),
  );
