import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ANSWER_BYTES_MAX, ANSWER_TIMES } from '#platform/idempotency/answer-store.port.js';
import { UnknownOutcomeError } from '#platform/event-store/event-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { HttpFailure } from '../errors/http-failure.js';
import { openThings } from './things.fixture.js';

interface Asked {
  readonly key?: string;
  readonly account?: string;
  readonly body?: object;
}

const URL = '/api/v1/things';
const CHARGED = `${URL}/charged`;

let world: Awaited<ReturnType<typeof openThings>>;

beforeEach(async () => {
  world = await openThings();
});
afterEach(() => world.close());

const post = async (url: string, { key = 'k', account = '7', body }: Asked = {}) => {
  const reply = await world.app.inject({
    method: 'POST',
    url,
    headers: { 'x-account': account, 'idempotency-key': key },
    payload: body ?? { name: 'a' },
  });
  return {
    status: reply.statusCode,
    headers: reply.headers,
    text: reply.payload,
    isReplay: reply.headers['x-quipu-idempotent-replay'] === 'true',
    code: reply.payload.startsWith('{"success":false') ? (reply.json().code as string) : null,
  };
};

const created = (): number => world.things.requestIds.length;

describe('a route that creates, with an Idempotency-Key', () => {
  it('creates once and replays status, headers and body', async () => {
    const first = await post(URL);
    expect([first.status, first.isReplay]).toEqual([201, false]);
    const again = await post(URL);
    expect(again).toMatchObject({ status: 201, text: first.text, isReplay: true });
    expect(again.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(again.headers['location']).toBe(first.headers['location']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(created()).toBe(1);
  });

  it('replays an answer without a body', async () => {
    expect((await post(`${URL}/none`)).status).toBe(204);
    expect(await post(`${URL}/none`)).toMatchObject({ status: 204, text: '', isReplay: true });
    expect(created()).toBe(1);
  });

  it('creates each time without a key', async () => {
    const ask = () =>
      world.app.inject({ method: 'POST', url: URL, payload: { name: 'a' }, headers: {} });
    expect([(await ask()).statusCode, (await ask()).statusCode]).toEqual([201, 201]);
    expect(created()).toBe(2);
  });

  it('creates once, also for one that says which event it had last', async () => {
    const headers = {
      'x-account': '7',
      'idempotency-key': 'k-last-event',
      'last-event-id': '01980000-0000-7000-8000-000000000001-1',
    };
    const ask = () =>
      world.app.inject({ method: 'POST', url: URL, payload: { name: 'a' }, headers });
    expect([(await ask()).statusCode, (await ask()).statusCode]).toEqual([201, 201]);
    expect(created()).toBe(1);
  });

  it('separates accounts', async () => {
    await post(URL);
    expect((await post(URL, { account: '8' })).isReplay).toBe(false);
    expect(created()).toBe(2);
  });

  it.each([
    ['body', () => post(URL, { body: { name: 'b' } })],
    ['query', () => post(`${URL}?dry=1`)],
    ['route', () => post(`${URL}/none`)],
  ])('conflicts with another %s', async (_, other) => {
    await post(URL);
    expect(await other()).toMatchObject({ status: 409, code: 'idempotency_conflict' });
    expect(created()).toBe(1);
  });

  it('treats all paths of a route as one', async () => {
    await post(URL);
    expect((await post(`${URL}/also`)).isReplay).toBe(true);
  });

  it('runs once of several concurrent requests', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    world.things.make = () => answered.then(() => ({}));
    const refused: Awaited<ReturnType<typeof post>>[] = [];
    const asked = Array.from({ length: 10 }, async () => {
      const reply = await post(URL);
      // The answer waits until the nine others are rejected.
      if (reply.status === 409 && refused.push(reply) === 9) answer();
      return reply;
    });
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, ...Array<number>(9).fill(409)]);
    for (const { code, headers } of refused) {
      expect([code, headers['retry-after']]).toEqual(['idempotency_running', '1']);
    }
    expect((await post(URL)).isReplay).toBe(true);
    expect(created()).toBe(1);
  });

  it.each(['', 'ключ', 'x'.repeat(256)])('rejects a malformed key: %j', async (key) => {
    // A client sends the UTF-8 bytes in the header.
    const { status, code } = await post(URL, { key: Buffer.from(key).toString('latin1') });
    expect([status, code]).toEqual([400, 'invalid_idempotency_key']);
    expect(created()).toBe(0);
  });

  it.each([
    ['the domain', new DomainError('thing_refused', 'no'), 422],
    ['the edge', new HttpFailure({ status: 501, code: 'x', message: 'no' }), 501],
  ])('frees the key after %s', async (_, error, status) => {
    world.things.make = () => Promise.reject(error);
    expect((await post(URL)).status).toBe(status);
    world.things.make = () => Promise.resolve({});
    expect((await post(URL, { body: { name: 'b' } })).status).toBe(201);
    expect(new Set(world.things.requestIds).size).toBe(2);
  });

  it('frees the key when the body is not valid', async () => {
    expect((await post(URL, { body: { name: 7 } })).status).toBe(400);
    expect((await post(URL)).status).toBe(201);
  });

  it.each([
    ['the log was lost', new UnknownOutcomeError('no answer'), 503],
    ['a defect', new Error('of ours'), 500],
  ])('runs again as the same request after %s', async (_, error, status) => {
    world.things.make = () => Promise.reject(error);
    const failed = await post(URL);
    expect(failed.status).toBe(status);
    world.things.make = (requestId) => Promise.resolve({ of: requestId });
    const again = await post(URL);
    const [first] = world.things.requestIds;
    expect(again).toMatchObject({ status: 201, text: JSON.stringify({ of: first }) });
    expect(again.headers['x-request-id']).toBe(first);
    expect(world.things.requestIds).toEqual([first, first]);
    expect((await post(URL)).isReplay).toBe(true);
  });

  it('runs again as the same request when the process was lost', async () => {
    let answer = (): void => undefined;
    world.things.make = (requestId) =>
      new Promise((resolve) => (answer = () => resolve({ of: requestId })));
    const lost = post(URL);
    while (created() === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const answerLost = answer;
    world.time.nowMs += ANSWER_TIMES.leaseMs;
    world.things.make = (requestId) => Promise.resolve({ of: requestId, by: 'the retry' });
    const retry = await post(URL);
    expect(retry.status).toBe(201);
    const [first] = world.things.requestIds;
    expect(world.things.requestIds).toEqual([first, first]);
    // The first attempt was only slow. Its caller gets an answer; the store keeps the retry's.
    answerLost();
    expect((await lost).status).toBe(201);
    expect(await post(URL)).toMatchObject({ text: retry.text, isReplay: true });
  });

  it('answers when the store is unavailable at the end', async () => {
    world.entries.away = ['keep'];
    expect((await post(URL)).status).toBe(201);
    expect((await post(URL)).code).toBe('idempotency_running');
    world.time.nowMs += ANSWER_TIMES.leaseMs;
    world.entries.away = false;
    expect((await post(URL)).status).toBe(201);
    expect(new Set(world.things.requestIds).size).toBe(1);
  });

  it('fails when the store is unavailable at the start', async () => {
    world.entries.away = true;
    expect((await post(URL)).code).toBe('store_unavailable');
    expect(created()).toBe(0);
  });

  it('is a defect without a guard that sets the caller', async () => {
    const headers = { 'idempotency-key': 'k' };
    const { statusCode } = await world.app.inject({ method: 'POST', url: URL, headers });
    expect(statusCode).toBe(500);
  });
});

describe('a route that charges and writes its own reply', () => {
  const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'x-cost': '1' };

  const writeWhole = (text = 'data: [DONE]\n\n'): void => {
    world.things.write = (tap, reply) => {
      tap?.head(HEADERS);
      reply.hijack();
      reply.raw.writeHead(200, HEADERS);
      for (const half of [text.slice(0, 6), text.slice(6)]) {
        tap?.text(half);
        reply.raw.write(half);
      }
      reply.raw.end();
      return Promise.resolve('whole');
    };
  };

  const endAs = (end: 'cut' | 'in-doubt'): void => {
    world.things.write = (_, reply) => {
      void reply.send('broken');
      return Promise.resolve(end);
    };
  };

  it('replays the same bytes of a stream', async () => {
    writeWhole();
    const first = await post(CHARGED);
    const again = await post(CHARGED);
    expect(again).toMatchObject({ status: 200, text: first.text, isReplay: true });
    expect(again.headers).toMatchObject(HEADERS);
    expect(created()).toBe(1);
  });

  it('answers without a key, too', async () => {
    writeWhole();
    const { statusCode } = await world.app.inject({ method: 'POST', url: CHARGED });
    expect(statusCode).toBe(200);
  });

  it('frees the key when the answer was cut short', async () => {
    endAs('cut');
    await post(CHARGED);
    writeWhole();
    expect(await post(CHARGED, { body: { other: true } })).toMatchObject({ isReplay: false });
    expect(world.things.settled).toEqual([]);
  });

  it('settles an answer in doubt first, and starts a new request', async () => {
    endAs('in-doubt');
    await post(CHARGED);
    writeWhole();
    expect((await post(CHARGED)).status).toBe(200);
    const [first, second] = world.things.requestIds;
    expect(world.things.settled).toEqual([
      { attempt: first, startedAtMs: world.time.nowMs, account: '7' },
    ]);
    expect(second).not.toBe(first);
  });

  it('reports a charged answer that was lost', async () => {
    endAs('in-doubt');
    await post(CHARGED);
    world.things.found = 'charged';
    for (let retry = 0; retry < 2; retry += 1) {
      expect(await post(CHARGED)).toMatchObject({ status: 409, code: 'idempotency_answer_lost' });
    }
    expect(world.things.settled).toHaveLength(1);
    expect(created()).toBe(1);
  });

  it('asks the settler whether an error is final', async () => {
    world.things.write = () => Promise.reject(new Error('final'));
    world.things.isSettled = (error) => (error as Error).message === 'final';
    await post(CHARGED);
    world.things.write = () => Promise.reject(new Error('in doubt'));
    await post(CHARGED);
    expect(world.things.settled).toEqual([]);
    writeWhole();
    await post(CHARGED);
    expect(world.things.settled).toHaveLength(1);
  });

  it('stores no body of an answer that is too large', async () => {
    writeWhole('x'.repeat(ANSWER_BYTES_MAX + 1));
    await post(CHARGED);
    expect(await post(CHARGED)).toMatchObject({
      status: 409,
      code: 'idempotency_answer_too_large',
    });
  });
});

describe('the OpenAPI document', () => {
  it('has the header and the failures of the decorator', async () => {
    const document = (await world.app.inject('/openapi.json')).json();
    const { parameters, responses } = document.paths[URL].post;
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: 'idempotency-key', in: 'header', required: false }),
    );
    expect(Object.keys(responses as object)).toEqual(expect.arrayContaining(['400', '409']));
  });
});
