import { type ArgumentsHost } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { inferenceArea } from '#areas/inference/inference.area.js';
import { RouteError } from '#areas/inference/rigs/route-error.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { pino } from 'pino';
import { FailureLog } from './failure-log.js';
import { FailureFilter } from './failure.filter.js';
import { Failures } from './failures.js';
import { HttpFailure } from './http-failure.js';

const filter = new FailureFilter(
  new Failures(new Areas([inferenceArea])),
  new FailureLog(pino({ level: 'silent' })),
);

/** The response to a request of this URL that throws the error. */
const responseTo = (url: string, error: unknown) => {
  const headers: Record<string, unknown> = {};
  const answer: { status?: number; body?: unknown } = {};
  const reply = {
    raw: { headersSent: false },
    header: (name: string, value: unknown) => {
      headers[name] = value;
    },
    status: (status: number) => {
      answer.status = status;
      return reply;
    },
    send: (body: unknown) => {
      answer.body = body;
    },
  };
  const http = { getRequest: () => ({ id: 'r', method: 'GET', url }), getResponse: () => reply };
  filter.catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return { ...answer, headers };
};

describe('a failed request', () => {
  it('has the retry-after header', () => {
    const failure = { status: 503, code: 'x', message: 'no', retryAfterSeconds: 5 };
    expect(responseTo('/v1', new HttpFailure(failure))).toMatchObject({
      status: 503,
      headers: { 'retry-after': 5 },
    });
  });

  it('has the www-authenticate header', () => {
    const failure = { status: 401, code: 'x', message: 'no' };
    expect(responseTo('/', new HttpFailure(failure)).headers).toEqual({
      'www-authenticate': 'Bearer',
    });
  });

  it('has the header with the number of attempts, as an answer has', () => {
    const attempt = { rig: 'a', startedMs: 0, endedMs: 1, outcome: 'failed' } as const;
    const error = new RouteError('failed', 'no', [attempt, attempt]);
    expect(responseTo('/v1/chat/completions', error)).toMatchObject({
      status: 502,
      headers: { 'x-quipu-attempts': 2 },
      body: { error: { code: 'upstream_failed' } },
    });
  });
});
