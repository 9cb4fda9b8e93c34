import { type Admission } from '#platform/idempotency/answer-store.port.js';
import { HttpFailure } from '../errors/http-failure.js';

const RETRY_AFTER_RUNNING_SECONDS = 1;
const PARAM = 'Idempotency-Key';

export const invalidKey = (): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'invalid_idempotency_key',
    message: 'Idempotency-Key must be 1 to 255 printable ASCII characters',
    param: PARAM,
  });

/** The reasons why a request with a used key neither starts nor replays. */
export const notAdmitted = (
  outcome: Exclude<Admission['outcome'], 'started' | 'replay'>,
): HttpFailure => {
  switch (outcome) {
    case 'conflict':
      return new HttpFailure({
        status: 409,
        code: 'idempotency_conflict',
        message: 'this Idempotency-Key was used with another body',
        param: PARAM,
      });
    case 'running':
      return new HttpFailure({
        status: 409,
        code: 'idempotency_running',
        message: 'the first request with this Idempotency-Key is still running',
        param: PARAM,
        retryAfterSeconds: RETRY_AFTER_RUNNING_SECONDS,
      });
    case 'too-large':
      return new HttpFailure({
        status: 409,
        code: 'idempotency_answer_too_large',
        message: 'the first request was answered and charged; its answer was too large to keep',
        param: PARAM,
      });
    case 'charged':
      return new HttpFailure({
        status: 409,
        code: 'idempotency_answer_lost',
        message:
          'the first request was charged, and its answer was lost before it was kept; ' +
          'another Idempotency-Key asks, and is charged, again',
        param: PARAM,
      });
  }
};
