import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { type Gateway } from '#apps/processes/gateway.process.js';
import { CommandLine } from './command-line.fixture.js';
import { loadQuipu } from './loaded-quipu.js';
import { chatRequest, eventsOf, eventually, startWorld, type World } from './quipu.harness.js';
import {
  CHAT,
  contentOf,
  EVENTS,
  eventsIn,
  type Interface,
  MICRO_USD,
  OTHERS,
  PacedUpstream,
  readEvents,
  WORDS,
} from './resumed-streams.fixture.js';

const GRACE_MS = 1_000;

interface Asked {
  readonly requestId: string;
  readonly response: Response;
  /** Closes the connection. */
  readonly leave: () => void;
}

describe('a resumable stream', () => {
  const upstream = new PacedUpstream();
  let world: World;
  let other: Gateway;

  beforeAll(async () => {
    world = await startWorld([upstream.script], {
      environment: { QUIPU_RESUME_GRACE_SECONDS: String(GRACE_MS / 1_000) },
    });
    other = await startOther();
  });

  afterAll(async () => {
    await other.stop();
    await world.close();
  });

  /** Another gateway on the same stores. */
  const startOther = async (): Promise<Gateway> => {
    const { startGateway } = await loadQuipu();
    return startGateway(world.environment, { subscriptions: 'elsewhere' });
  };

  const headersOf = (more: Readonly<Record<string, string>>) => ({
    'content-type': 'application/json',
    authorization: `Bearer ${world.credentials.api_key}`,
    ...more,
  });

  const ask = async (
    url: string,
    { route, body }: Interface,
    prompt: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Asked> => {
    const caller = new AbortController();
    const response = await fetch(`${url}${route}`, {
      method: 'POST',
      headers: headersOf({ 'x-quipu-resumable': 'true', ...more }),
      body: JSON.stringify(body(prompt)),
      signal: caller.signal,
    });
    const requestId = response.headers.get('x-request-id') ?? '';
    return { requestId, response, leave: () => caller.abort() };
  };

  /** Asks the other gateway for the rest. */
  const resume = (requestId: string, after?: number): Promise<Response> =>
    fetch(`${other.url}/v1/streams/${requestId}`, {
      headers: headersOf(after === undefined ? {} : { 'last-event-id': `${requestId}-${after}` }),
    });

  const repeat = (
    { route, body }: Interface,
    prompt: string,
    lastEventId: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(`${other.url}${route}`, {
      method: 'POST',
      headers: headersOf({ 'last-event-id': lastEventId, ...more }),
      body: JSON.stringify(body(prompt)),
    });

  /** The events of a request in the log, once it has ended. */
  const ledgerOf = async (requestId: string) => {
    const written = async () =>
      eventsOf(await world.events(), requestId).filter(({ type }) => type.startsWith('Hold'));
    await eventually(async () => (await written()).length > 1);
    return (await written()).map(({ type, data }) => ({ type, ...data }));
  };

  const chargedOnce = [
    expect.objectContaining({ type: 'HoldPlaced' }),
    expect.objectContaining({
      type: 'HoldCaptured',
      outcome: 'completed',
      amountMicroUsd: MICRO_USD,
    }),
  ];

  it('costs nothing to one that does not ask for it: no id, no header, and a cut', async () => {
    const prompt = randomUUID();
    upstream.allow(prompt, 3);
    const asked = await ask(world.quipu.url, CHAT, prompt, { 'x-quipu-resumable': 'false' });
    expect(asked.response.headers.has('x-quipu-resumable')).toBe(false);
    const reader = (asked.response.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toMatch(/^data: /);
    asked.leave();
    const [, end] = await ledgerOf(asked.requestId);
    expect(end).toMatchObject({ type: 'HoldCaptured', outcome: 'client_gone' });
    expect((await resume(asked.requestId)).status).toBe(404);
  });

  it('is read on at another gateway after a cut at any event, and charged once', async () => {
    const plain = await ask(world.quipu.url, CHAT, 'unbroken', { 'x-quipu-resumable': 'false' });
    const unbroken = contentOf(await plain.response.text());
    const cutAfter = async (events: number): Promise<void> => {
      const prompt = randomUUID();
      // A chunk is an event until the end, which comes with the rest.
      upstream.allow(prompt, Math.min(events, EVENTS - 1));
      const asked = await ask(world.quipu.url, CHAT, prompt);
      expect(asked.response.headers.get('x-quipu-resumable')).toBe('true');
      if (events === EVENTS) upstream.allow(prompt, 'all');
      const { requestId } = asked;
      const first = await readEvents(asked.response, events);
      asked.leave();
      const rest =
        events % 2 === 0 ? resume(requestId, events) : byRepeat(prompt, requestId, events);
      upstream.allow(prompt, 'all');
      const joined = `${first}${await (await rest).text()}`;
      expect(joined).toBe(await (await resume(requestId)).text());
      expect(contentOf(joined)).toBe(unbroken);
      expect(eventsIn(joined).map((event) => /^id: (.*)$/m.exec(event)?.[1])).toEqual(
        Array.from({ length: EVENTS }, (_, n) => `${requestId}-${n + 1}`),
      );
      expect(await ledgerOf(requestId)).toEqual(chargedOnce);
    };
    const byRepeat = (prompt: string, requestId: string, events: number) =>
      repeat(CHAT, prompt, `${requestId}-${events}`);
    const before = world.upstream.received.length;
    await Promise.all(Array.from({ length: EVENTS }, (_, n) => cutAfter(n + 1)));
    expect(world.upstream.received).toHaveLength(before + EVENTS);
  });

  it.each(OTHERS)('is read on as one of $route', async (form) => {
    const prompt = randomUUID();
    upstream.allow(prompt, 4);
    const asked = await ask(world.quipu.url, form, prompt);
    const first = await readEvents(asked.response, 3);
    asked.leave();
    const rest = repeat(form, prompt, `${asked.requestId}-3`);
    upstream.allow(prompt, 'all');
    const joined = `${first}${await (await rest).text()}`;
    const plain = await ask(world.quipu.url, form, prompt, { 'x-quipu-resumable': 'false' });
    const shape = (text: string) => contentOf(text).replace(/[0-9a-f]{32}|\d{10}/g, '').length;
    expect(shape(joined.replaceAll(asked.requestId, ''))).toBe(
      shape((await plain.response.text()).replaceAll(plain.requestId, '')),
    );
    expect(joined).toBe(await (await resume(asked.requestId)).text());
    expect(await ledgerOf(asked.requestId)).toEqual(chargedOnce);
  });

  it('runs on as long as it is read anywhere, by several at once', async () => {
    const prompt = randomUUID();
    upstream.allow(prompt, 2);
    const { requestId, response, leave } = await ask(world.quipu.url, CHAT, prompt);
    await readEvents(response, 2);
    leave();
    const readers = [resume(requestId, 2), resume(requestId)];
    await new Promise((resolve) => setTimeout(resolve, 2.5 * GRACE_MS));
    upstream.allow(prompt, 'all');
    const texts = await Promise.all(readers.map(async (reader) => (await reader).text()));
    expect(texts.map((text) => eventsIn(text).length)).toEqual([EVENTS - 2, EVENTS]);
    expect(await ledgerOf(requestId)).toEqual(chargedOnce);
  });

  it('ends a grace after its last reader, charged for the generated text', async () => {
    const prompt = randomUUID();
    upstream.allow(prompt, 2);
    const { requestId, response, leave } = await ask(world.quipu.url, CHAT, prompt);
    await readEvents(response, 2);
    leave();
    upstream.allow(prompt, 4);
    const [, end] = await ledgerOf(requestId);
    expect(end).toMatchObject({
      type: 'HoldCaptured',
      outcome: 'client_gone',
      usageSource: 'counted',
    });
    const rest = await (await resume(requestId, 2)).text();
    expect(eventsIn(rest)).toHaveLength(3);
    expect(rest).toContain(WORDS[2]);
    expect(rest).toContain('"error"');
  });

  it('is cancelled from any gateway, charged for the generated text', async () => {
    const prompt = randomUUID();
    upstream.allow(prompt, 2);
    const { requestId, response } = await ask(world.quipu.url, CHAT, prompt);
    await readEvents(response, 2);
    const cancel = async (): Promise<unknown> => {
      const route = `/v1/streams/${requestId}/cancel`;
      const sent = await supertest(other.url).post(route).set(headersOf({})).send({});
      return sent.body as unknown;
    };
    const cancelling = { id: requestId, object: 'stream', status: 'cancelling' };
    expect(await cancel()).toEqual(cancelling);
    upstream.allow(prompt, 3);
    const [, end] = await ledgerOf(requestId);
    expect(end).toMatchObject({ type: 'HoldCaptured', outcome: 'client_gone' });
    await (await resume(requestId)).text();
    expect(await cancel()).toEqual({ ...cancelling, status: 'ended' });
  });

  it('has one charge beside an Idempotency-Key, whose repeat is the whole answer', async () => {
    const prompt = randomUUID();
    const key = { 'idempotency-key': randomUUID() };
    upstream.allow(prompt, 2);
    const asked = await ask(world.quipu.url, CHAT, prompt, key);
    const first = await readEvents(asked.response, 2);
    asked.leave();
    const running = await ask(other.url, CHAT, prompt, key);
    expect(running.response.status).toBe(409);
    const rest = repeat(CHAT, prompt, `${asked.requestId}-2`, key);
    upstream.allow(prompt, 'all');
    const joined = `${first}${await (await rest).text()}`;
    await eventually(async () => {
      const again = await ask(other.url, CHAT, prompt, key);
      return again.response.status === 200 && (await again.response.text()) === joined;
    });
    expect(await ledgerOf(asked.requestId)).toEqual(chargedOnce);
  });

  it('is resumed by the official client, which counts the chunks it has', async () => {
    const prompt = randomUUID();
    upstream.allow(prompt, 4);
    const body = { ...chatRequest(), ...CHAT.body(prompt), stream: true } as const;
    const { data, request_id: requestId } = await world.openai.chat.completions
      .create(body, { headers: { 'x-quipu-resumable': 'true' } })
      .withResponse();
    const words: (string | null | undefined)[] = [];
    let chunks = 0;
    for await (const { choices } of data) {
      words.push(choices[0]?.delta.content);
      chunks += 1;
      if (chunks === 4) break;
    }
    upstream.allow(prompt, 'all');
    const lastEventId = `${requestId ?? ''}-${chunks}`;
    const rest = await world.openai.chat.completions.create(body, {
      headers: { 'last-event-id': lastEventId },
    });
    for await (const { choices } of rest) words.push(choices[0]?.delta.content);
    expect(words.join('')).toBe(WORDS.join(''));
    expect(await ledgerOf(requestId ?? '')).toEqual(chargedOnce);
  });

  describe('is refused', () => {
    let requestId: string;
    const prompt = randomUUID();

    beforeAll(async () => {
      const asked = await ask(world.quipu.url, CHAT, prompt);
      await asked.response.text();
      ({ requestId } = asked);
    });

    const get = (path: string, more: Readonly<Record<string, string>> = {}) =>
      supertest(other.url).get(path).set(headersOf(more));

    const ofHeader = (message: string) => ({
      error: expect.objectContaining({
        code: 'invalid_request',
        param: 'Last-Event-ID',
        message: expect.stringContaining(message) as unknown,
      }) as unknown,
    });

    it.each(['7', 'x', '01980000-0000-7000-8000-000000000001-1'])(
      'after an event of another stream: %s',
      async (lastEventId) => {
        const { status, body } = await get(`/v1/streams/${requestId}`, {
          'last-event-id': lastEventId,
        });
        expect({ status, body: body as unknown }).toEqual({
          status: 400,
          body: ofHeader('expected the id of an event of the stream'),
        });
      },
    );

    it('after an event beyond its end', async () => {
      const { status } = await get(`/v1/streams/${requestId}`, {
        'last-event-id': `${requestId}-${EVENTS + 1}`,
      });
      expect(status).toBe(400);
      const whole = await resume(requestId, EVENTS);
      expect([whole.status, await whole.text()]).toEqual([200, '']);
    });

    it('to a repeat with another body', async () => {
      const answer = await repeat(CHAT, 'another', `${requestId}-1`);
      expect([answer.status, await answer.json()]).toEqual([
        400,
        ofHeader('it belongs to a stream whose request had another body'),
      ]);
    });

    it('to another account, as one that never was', async () => {
      const { api_key: key } = await new CommandLine(() => world).createUser('third', 'renter');
      const unknown = randomUUID();
      for (const id of [requestId, unknown]) {
        const authorization = `Bearer ${id === unknown ? world.credentials.api_key : key}`;
        const { status, body } = await get(`/v1/streams/${id}`, { authorization });
        expect({ status, body: body as unknown }).toMatchObject({
          status: 404,
          body: { error: { code: 'stream_not_found' } },
        });
      }
    });

    it('for an id that is none, and a header that says neither yes nor no', async () => {
      expect((await get('/v1/streams/one')).body).toMatchObject({
        error: {
          code: 'invalid_request',
          message: expect.stringContaining('stream_id: expected a UUID in lower case'),
        },
      });
      const { response } = await ask(world.quipu.url, CHAT, prompt, { 'x-quipu-resumable': '1' });
      expect(await response.json()).toMatchObject({
        error: { code: 'invalid_request', param: 'X-Quipu-Resumable' },
      });
    });
  });

  it('is finished by a gateway that stops, and read at another one', async () => {
    const prompt = randomUUID();
    upstream.allow(prompt, 2);
    const { requestId, response, leave } = await ask(other.url, CHAT, prompt);
    await readEvents(response, 2);
    leave();
    const stopped = other.stop();
    upstream.allow(prompt, 'all');
    await stopped;
    other = await startOther();
    expect(eventsIn(await (await resume(requestId, 2)).text())).toHaveLength(EVENTS - 2);
    expect(await ledgerOf(requestId)).toEqual(chargedOnce);
  });
});
