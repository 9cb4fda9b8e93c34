import { describe, expect, it } from '@jest/globals';
import { type Failure } from '../errors/envelope.js';
import { durationOf, rateLimitHeaders, rejectedRateHeaders } from './rate-limit.headers.js';
import { RequestRates } from './request-rates.js';

const NOW_MS = Date.parse('2026-11-22T10:00:30.000Z');
const gateway = { limit: 600, remaining: 590, resetMs: 1_000 };
const budget = { limit: 10, remaining: 3, resetsAt: '2026-11-22T10:01:00.000Z' };

describe('the headers of limits per minute', () => {
  it.each([
    [0, '0ms'],
    [119.2, '120ms'],
    [1_000, '1s'],
    [59_001, '1m0s'],
    [360_000, '6m0s'],
  ])('write %d ms as OpenAI does', (ms, text) => {
    expect(durationOf(ms)).toBe(text);
  });

  it('are the gateway’s where no budget limits', () => {
    expect(rateLimitHeaders(gateway, undefined, NOW_MS)).toEqual({
      'x-ratelimit-limit-requests': '600',
      'x-ratelimit-remaining-requests': '590',
      'x-ratelimit-reset-requests': '1s',
    });
    expect(rateLimitHeaders(undefined, undefined, NOW_MS)).toEqual({});
  });

  it('show the tighter limit', () => {
    expect(rateLimitHeaders(gateway, { requests: budget, tokens: null }, NOW_MS)).toEqual({
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '3',
      'x-ratelimit-reset-requests': '30s',
    });
    const looser = { ...budget, limit: 10_000, remaining: 9_000 };
    expect(rateLimitHeaders(gateway, { requests: looser, tokens: budget }, NOW_MS)).toMatchObject({
      'x-ratelimit-limit-requests': '600',
      'x-ratelimit-limit-tokens': '10',
      'x-ratelimit-remaining-tokens': '3',
      'x-ratelimit-reset-tokens': '30s',
    });
  });

  it('tell a rejected caller what is left', () => {
    const failure = { code: 'rate_limit_exceeded', retryAfterSeconds: 30 } as Failure;
    const metadata = { tokens_per_minute: 500, remaining: 20 };
    expect(rejectedRateHeaders({ ...failure, metadata })).toEqual({
      'x-ratelimit-limit-tokens': '500',
      'x-ratelimit-remaining-tokens': '20',
      'x-ratelimit-reset-tokens': '30s',
    });
    expect(rejectedRateHeaders({ ...failure, metadata: null })).toEqual({});
    expect(rejectedRateHeaders({ ...failure, code: 'too_many_attempts', metadata })).toEqual({});
  });
});

describe('the request rates of the gateway', () => {
  it('say what is left, and when all of it is back', () => {
    let nowMs = NOW_MS;
    const rates = new RequestRates({ perAccount: 60, perKey: 30 }, { now: () => nowMs });
    const caller = { accountId: '7', credential: { kind: 'api_key', id: 'k' } } as const;
    expect(rates.rateOf(caller)).toEqual({ limit: 30, remaining: 30, resetMs: 0 });
    rates.take(caller);
    rates.take(caller);
    expect(rates.rateOf(caller)).toEqual({ limit: 30, remaining: 28, resetMs: 4_000 });
    nowMs += 2_000;
    expect(rates.rateOf(caller)).toEqual({ limit: 30, remaining: 29, resetMs: 2_000 });
    const unlimited = new RequestRates({ perAccount: 0, perKey: 0 }, { now: () => nowMs });
    expect(unlimited.rateOf(caller)).toBeUndefined();
  });
});
