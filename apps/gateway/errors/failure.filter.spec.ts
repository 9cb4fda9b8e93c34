import { type ArgumentsHost } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { inferenceArea } from '#areas/inference/inference.area.js';
import { RouteError } from '#areas/inference/rigs/route-error.js';
import { Areas } from '#platform/runtime/area.js';
import { FailureFilter } from './failure.filter.js';
import { Failures } from './failures.js';
import { HttpFailure } from './http-failure.js';

const filter = new FailureFilter(
  new Failures(new Areas([inferenceArea])),
  pino({ level: 'silent' }),
);

/** What the caller of a URL is sent when an error is thrown. */
const sent = (url: string, error: unknown) => {
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
  it('is told when to come back', () => {
    const told = { status: 503, code: 'x', message: 'no', retryAfterSeconds: 5 };
    expect(sent('/v1', new HttpFailure(told))).toMatchObject({
      status: 503,
      headers: { 'retry-after': 5 },
    });
  });

  it('is told how to authenticate', () => {
    const told = { status: 401, code: 'x', message: 'no' };
    expect(sent('/', new HttpFailure(told)).headers).toEqual({ 'www-authenticate': 'Bearer' });
  });

  it('is told in a header how many rigs were asked, as an answer is', () => {
    const attempt = { rig: 'a', startedMs: 0, endedMs: 1, outcome: 'failed' } as const;
    const error = new RouteError('failed', 'no', [attempt, attempt]);
    expect(sent('/v1/chat/completions', error)).toMatchObject({
      status: 502,
      headers: { 'x-quipu-attempts': 2 },
      body: { error: { code: 'upstream_failed' } },
    });
  });
});
