import { describe, expect, it } from '@jest/globals';
import { retryingFetch, type RetryOptions } from './retrying-fetch.js';

type Reply = Response | Error;

const answered = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(String(status), { status, headers });

/** Sends to these replies in turn and keeps the requests. */
const sending = (replies: readonly Reply[], options: RetryOptions = {}) => {
  const requests: Request[] = [];
  const left = [...replies];
  const fetch = (request: Request): Promise<Response> => {
    requests.push(request);
    const reply = left.shift();
    return reply instanceof Response
      ? Promise.resolve(reply)
      : Promise.reject(reply ?? new Error('no reply is left'));
  };
  return { requests, send: retryingFetch({ waitMsMax: 2, ...options, fetch }) };
};

const post = (init: RequestInit = {}): Request =>
  new Request('http://gateway/v1/chat/completions', { method: 'POST', body: '{}', ...init });

describe('a request that is tried again', () => {
  it('keeps its idempotency key and its body over a broken connection and a 503', async () => {
    const { requests, send } = sending([new TypeError('reset'), answered(503), answered(200)]);
    const response = await send(post());
    expect(response.status).toBe(200);
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys).size).toBe(1);
    expect(await Promise.all(requests.map((request) => request.text()))).toEqual([
      '{}',
      '{}',
      '{}',
    ]);
  });

  it('has another key in another call, and the one of the caller if there is one', async () => {
    const { requests, send } = sending([answered(200), answered(200), answered(200)]);
    await send(post());
    await send(post());
    await send(post({ headers: { 'idempotency-key': 'mine' } }));
    const [one, other, own] = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(one).not.toBe(other);
    expect(own).toBe('mine');
  });

  it('has no key if it only reads', async () => {
    const { requests, send } = sending([answered(200)]);
    await send(new Request('http://gateway/v1/models'));
    expect(requests[0]?.headers.has('idempotency-key')).toBe(false);
  });

  it.each([400, 401, 402, 404, 409, 422])('is not repeated after a %i', async (status) => {
    const { requests, send } = sending([answered(status)]);
    expect((await send(post())).status).toBe(status);
    expect(requests).toHaveLength(1);
  });

  it('waits as long as Retry-After asks for', async () => {
    const soon = new Date(Date.now() + 1_000).toUTCString();
    for (const [asked, waitedMsMin] of [
      ['0.03', 25],
      ['0', 0],
      [soon, 0],
    ] as const) {
      const { send } = sending([answered(409, { 'retry-after': asked }), answered(200)], {
        waitMsMax: 5_000,
      });
      const begin = performance.now();
      expect((await send(post())).status).toBe(200);
      expect(performance.now() - begin).toBeGreaterThanOrEqual(waitedMsMin);
    }
  });

  it('is given back if Retry-After is longer than the caller waits', async () => {
    const { requests, send } = sending([answered(429, { 'retry-after': '60' })]);
    expect((await send(post())).status).toBe(429);
    expect(requests).toHaveLength(1);
  });

  it('ends after the last attempt, with its answer or its error', async () => {
    const busy = sending([answered(503), answered(503), answered(503)], { retriesMax: 2 });
    expect((await busy.send(post())).status).toBe(503);
    expect(busy.requests).toHaveLength(3);
    const broken = sending([new TypeError('one'), new TypeError('two')], { retriesMax: 1 });
    await expect(broken.send(post())).rejects.toThrow('two');
  });

  it('ends with its signal, also while it waits', async () => {
    const waiting = new AbortController();
    const { requests, send } = sending([answered(503, { 'retry-after': '5' })], {
      waitMsMax: 10_000,
    });
    const sent = send(post({ signal: waiting.signal }));
    setTimeout(() => waiting.abort(new Error('enough')), 5);
    await expect(sent).rejects.toThrow('enough');
    expect(requests).toHaveLength(1);
  });
});
