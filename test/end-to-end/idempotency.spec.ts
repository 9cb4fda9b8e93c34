import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { json } from '#areas/inference/rigs/upstream.fake.js';
import { answering, chatRequest, startWorld, type World } from './quipu.harness.js';

describe('Idempotency-Key', () => {
  let world: World;

  beforeEach(async () => {
    world = await startWorld([answering('Knots', '.')]);
  });

  afterEach(() => world.close());

  const ask = (key: string, body: object = chatRequest()) =>
    fetch(`${world.quipu.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${world.credentials.api_key}`,
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    });

  const charges = async (): Promise<number> =>
    (await world.events()).filter(({ type }) => type === 'HoldCaptured').length;

  it.each([false, true])('replays an answer, charged once (stream: %s)', async (stream) => {
    const body = chatRequest({ stream });
    const first = await (await ask('k-1', body)).text();
    const again = await ask('k-1', body);
    expect(await again.text()).toBe(first);
    expect(again.headers.get('x-quipu-idempotent-replay')).toBe('true');
    expect(world.upstream.received).toHaveLength(1);
    expect(await charges()).toBe(1);
  });

  it('replays after a restart', async () => {
    const first = await (await ask('k-1')).text();
    world = await world.restart();
    const again = await ask('k-1');
    expect(await again.text()).toBe(first);
    expect(await charges()).toBe(1);
  });

  it('rejects another body under the same key', async () => {
    await (await ask('k-1')).text();
    const other = await ask('k-1', chatRequest({ max_tokens: 5 }));
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ error: { code: 'idempotency_conflict' } });
  });

  it('makes one upstream call for fifty concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask('k-1')));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(statuses).toContain(200);
    expect(world.upstream.received).toHaveLength(1);
    expect(await charges()).toBe(1);
  });

  it('leaves the key free after a failure', async () => {
    const refused = await ask('k-1', chatRequest({ model: 'acme/none' }));
    expect(refused.status).toBe(404);
    const again = await ask('k-1');
    expect(again.status).toBe(200);
  });

  it('leaves the key free after an answer that could not be passed on', async () => {
    await world.close();
    const depth = 200_000;
    const nested = `{"choices":[${'['.repeat(depth)}${']'.repeat(depth)}]}`;
    world = await startWorld([json(200, nested), answering('Knots', '.')]);
    expect((await ask('k-1')).status).toBe(502);
    expect(await charges()).toBe(0);
    expect((await ask('k-1')).status).toBe(200);
    expect(await charges()).toBe(1);
  });

  describe('on a route that creates', () => {
    const issue = (key: string, name = 'nightly') =>
      fetch(`${world.quipu.url}/api/v1/auth/keys`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${world.credentials.api_key}`,
          'idempotency-key': key,
        },
        body: JSON.stringify({ name }),
      });

    const issued = async (): Promise<number> =>
      (await world.events()).filter(({ type }) => type === 'ApiKeyIssued').length;

    it('creates once and replays the answer, also after a restart', async () => {
      const before = await issued();
      const first = await issue('k-1');
      expect(first.status).toBe(201);
      const text = await first.text();
      world = await world.restart();
      const again = await issue('k-1');
      expect([again.status, await again.text()]).toEqual([201, text]);
      expect(again.headers.get('x-quipu-idempotent-replay')).toBe('true');
      expect((await issue('k-2')).status).toBe(201);
      expect(await issued()).toBe(before + 2);
    });

    it('has one key space with the other routes of the account', async () => {
      await (await ask('k-1')).text();
      const other = await issue('k-1');
      expect(other.status).toBe(409);
      expect(await other.json()).toMatchObject({ success: false, code: 'idempotency_conflict' });
    });

    it('creates once for twenty concurrent requests', async () => {
      const before = await issued();
      const answers = await Promise.all(Array.from({ length: 20 }, () => issue('k-1')));
      const statuses = new Set(answers.map(({ status }) => status));
      statuses.delete(409);
      expect([...statuses]).toEqual([201]);
      expect(await issued()).toBe(before + 1);
    });
  });

  it('rejects a malformed key', async () => {
    const refused = await ask('k'.repeat(256));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: 'Idempotency-Key' } });
  });
});
