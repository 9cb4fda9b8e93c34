import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';

/** 9 tokens of the prompt at 1 micro-dollar and 2 of the answer at 2. */
const PRICE_MICRO_USD = 13;

interface Budgets {
  readonly success: boolean;
  readonly code?: string;
  readonly param?: string;
  readonly message?: string;
  readonly budgets: readonly {
    readonly scope: string;
    readonly key_id: string | null;
    readonly day: Readonly<Record<string, unknown>> | null;
    readonly requests_per_minute: Readonly<Record<string, unknown>> | null;
  }[];
}

describe('budgets over HTTP', () => {
  let world: World;

  beforeAll(async () => {
    // A budget that running requests hold is rejected at once, and not waited for.
    const environment = { QUIPU_FUNDS_WAIT_MS: '0' };
    world = await startWorld([answering('Knots', ' keep')], { environment });
  });

  afterAll(() => world.close());

  const send = async (
    method: string,
    path: string,
    body?: object,
    token = world.credentials.api_key,
  ): Promise<{ readonly status: number; readonly answer: Budgets }> => {
    const response = await fetch(`${world.quipu.url}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, answer: (await response.json()) as Budgets };
  };

  const issue = async (
    scopes: readonly Scope[] = ['inference'],
  ): Promise<{
    readonly client: OpenAI;
    readonly id: string;
    readonly apiKey: string;
  }> => {
    const response = await fetch(`${world.quipu.url}/api/v1/auth/keys`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.credentials.api_key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'a program', scopes }),
    });
    return clientOf((await response.json()) as { api_key: string; key: { id: string } });
  };

  const clientOf = ({ api_key: apiKey, key }: { api_key: string; key: { id: string } }) => {
    const client = new OpenAI({ baseURL: `${world.quipu.url}/v1`, apiKey, maxRetries: 0 });
    return { client, id: key.id, apiKey };
  };

  /** The hold of a chat with this limit of tokens. */
  const worstCase = async (client: OpenAI): Promise<number> => {
    await client.chat.completions.create(chatRequest({ max_tokens: 10 }));
    const placed = (await world.events()).filter(({ type }) => type === 'HoldPlaced').at(-1);
    return Number((placed?.data as { amountMicroUsd: string }).amountMicroUsd);
  };

  it('admit what fits, of one key, and say why not', async () => {
    const { client, id } = await issue();
    const held = await worstCase(client);
    const usd = (3 * held) / 1e6;
    const { status, answer } = await send('PUT', `budgets/keys/${id}`, { usd_per_day: usd });
    expect(status).toBe(200);
    expect(answer.budgets).toMatchObject([
      { scope: 'key', key_id: id, day: { limit_usd: usd, charged_usd: 0, remaining_usd: usd } },
    ]);
    const asked = await Promise.allSettled(
      Array.from({ length: 9 }, () =>
        client.chat.completions.create(chatRequest({ max_tokens: 10 })),
      ),
    );
    const refused = asked.flatMap((one) =>
      one.status === 'rejected' ? [one.reason as InstanceType<typeof OpenAI.APIError>] : [],
    );
    const admitted = asked.length - refused.length;
    expect(refused.length).toBeGreaterThan(0);
    for (const { status: rejection, code, type } of refused) {
      expect({ rejection, code, type }).toEqual({
        rejection: 402,
        code: 'budget_exceeded',
        type: 'insufficient_quota',
      });
    }
    const { answer: after } = await send('GET', 'budgets');
    expect(after.budgets[0]?.day).toMatchObject({
      charged_usd: (admitted * PRICE_MICRO_USD) / 1e6,
      held_usd: 0,
    });
    await world.openai.chat.completions.create(chatRequest());
    expect((await send('DELETE', `budgets/keys/${id}`)).answer.budgets).toEqual([]);
    await client.chat.completions.create(chatRequest());
  });

  it.each([
    ['users/user-1829', 'user', { user: 'user-1829' }],
    ['tags/project%3Dalpha', 'tag', { metadata: { project: 'alpha' } }],
  ])('of %s limit the requests that name it', async (path, scope, labels) => {
    const chat = (more: object = {}) =>
      world.openai.chat.completions.create({ ...chatRequest({ max_tokens: 10 }), ...more });
    const { status, answer } = await send('PUT', `budgets/${path}`, { usd_in_total: 0 });
    expect(status).toBe(200);
    expect(answer.budgets).toMatchObject([{ scope, key_id: null, [scope]: expect.any(String) }]);
    await expect(chat(labels)).rejects.toMatchObject({
      error: { metadata: { limit_source: scope, window: 'total', resets_at: null } },
    });
    await chat();
    expect((await send('DELETE', `budgets/${path}`)).answer.budgets).toEqual([]);
    await chat(labels);
  });

  it('of a tag name the field that is none', async () => {
    const { status, answer } = await send('PUT', 'budgets/tags/alpha', { usd_in_total: 1 });
    expect({ status, message: answer.message }).toMatchObject({
      status: 400,
      message: expect.stringContaining('tag'),
    });
  });

  it('stay with a key that is rotated', async () => {
    const { client, id } = await issue();
    await send('PUT', `budgets/keys/${id}`, { usd_per_month: (2 * PRICE_MICRO_USD) / 1e6 });
    await client.chat.completions.create(chatRequest({ max_tokens: 2 })).catch(() => undefined);
    await send('PUT', `budgets/keys/${id}`, { usd_per_month: 0 });
    const response = await fetch(`${world.quipu.url}/api/v1/auth/keys/${id}/rotate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.credentials.api_key}` },
    });
    const next = clientOf((await response.json()) as { api_key: string; key: { id: string } });
    await expect(next.client.chat.completions.create(chatRequest())).rejects.toMatchObject({
      status: 402,
      code: 'budget_exceeded',
      error: { metadata: { reason: 'budget_exceeded', limit_source: 'key', window: 'month' } },
    });
    const { answer } = await send('GET', 'budgets');
    expect(answer.budgets).toMatchObject([{ key_id: next.id }]);
    await send('DELETE', `budgets/keys/${next.id}`);
  });

  it('report once that they are exhausted', async () => {
    const { client, id } = await issue();
    await send('PUT', `budgets/keys/${id}`, { usd_per_day: 0.000001 });
    for (let asked = 0; asked < 3; asked += 1) {
      await expect(
        client.chat.completions.create(chatRequest({ max_tokens: 10 })),
      ).rejects.toThrow();
    }
    const reports = (await world.events()).filter(
      ({ type, data }) => type === 'BudgetThresholdReached' && 'key' in data && data.key === id,
    );
    expect(reports.map(({ data }) => data)).toMatchObject([{ percent: 100, window: 'day' }]);
    await send('DELETE', `budgets/keys/${id}`);
  });

  it('limit requests and tokens of a minute, with the headers of OpenAI', async () => {
    const { client, id } = await issue();
    const { response } = await client.chat.completions.create(chatRequest()).withResponse();
    expect(response.headers.get('x-ratelimit-limit-requests')).toBeNull();
    expect(response.headers.get('x-ratelimit-limit-tokens')).toBeNull();
    const limits = { requests_per_minute: 2, tokens_per_minute: 1_000_000 };
    await send('PUT', `budgets/keys/${id}`, limits);
    const ask = () =>
      client.chat.completions
        .create(chatRequest({ max_tokens: 10 }))
        .withResponse()
        .then(
          ({ response: { headers } }) => ({ status: 200, headers }),
          (error: unknown) => {
            if (!(error instanceof OpenAI.RateLimitError)) throw error;
            return { status: 429, headers: error.headers };
          },
        );
    // A minute may end on the way, and then two more are admitted.
    const answers = [await ask(), await ask(), await ask(), await ask(), await ask()];
    const [first] = answers;
    expect(first?.headers.get('x-ratelimit-limit-requests')).toBe('2');
    expect(first?.headers.get('x-ratelimit-remaining-requests')).toBe('1');
    expect(first?.headers.get('x-ratelimit-reset-requests')).toMatch(/^(\d+s|\d+ms|1m0s)$/);
    expect(first?.headers.get('x-ratelimit-limit-tokens')).toBe('1000000');
    const rejected = answers.find(({ status }) => status === 429);
    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
    expect(rejected?.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(Number(rejected?.headers.get('retry-after'))).toBeGreaterThan(0);
    await send('DELETE', `budgets/keys/${id}`);
  });

  it('say that a request never fits, without a pause', async () => {
    const { client, id } = await issue();
    await send('PUT', `budgets/keys/${id}`, { tokens_per_minute: 20 });
    const refused = client.chat.completions.create(chatRequest({ max_tokens: 50 }));
    await expect(refused).rejects.toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      error: { metadata: { reason: 'request_exceeds_limit' } },
    });
    const { headers } = (await refused.catch((error: unknown) => error)) as { headers: Headers };
    expect(headers.get('retry-after')).toBeNull();
    await send('DELETE', `budgets/keys/${id}`);
  });

  it.each([
    [{ usd_per_day: -1 }, 400, 'usd_per_day'],
    [{ usd_per_day: 0.0000001 }, 400, 'usd_per_day'],
    [{ usd_per_month: '5' }, 400, 'usd_per_month'],
    [{ requests_per_minute: 0 }, 400, 'requests_per_minute'],
    [{ tokens_per_minute: 1.5 }, 400, 'tokens_per_minute'],
    [{ usd_per_day: 1, alert_percents: [101] }, 400, 'alert_percents'],
    [{ usd_per_year: 1 }, 400, 'usd_per_year'],
    [{ usd_in_total: -1 }, 400, 'usd_in_total'],
    [{}, 400, 'limit'],
  ])('reject %j and name the field', async (body, status, field) => {
    const answer = await send('PUT', 'budgets/account', body);
    expect(answer.status).toBe(status);
    expect(answer.answer.message).toContain(field);
  });

  it('are named by the explanation of a rejected request, and a charge by its own', async () => {
    const { client, id } = await issue();
    const { response } = await client.chat.completions.create(chatRequest()).withResponse();
    const charged = response.headers.get('x-request-id') ?? '';
    const explained = await send('GET', `requests/${charged}/explanation`);
    expect(explained).toMatchObject({
      status: 200,
      answer: {
        request_id: charged,
        outcome: 'charged',
        events: [
          { type: 'HoldPlaced', facts: { key: id, rate_card_version: 1 } },
          {
            type: 'HoldCaptured',
            event_id: response.headers.get('x-quipu-event-id'),
            facts: { amount_micro_usd: String(PRICE_MICRO_USD), rig: 'scripted' },
          },
        ],
      },
    });
    await send('PUT', `budgets/keys/${id}`, { usd_per_day: 0.000001 });
    const failure = await client.chat.completions
      .create(chatRequest({ max_tokens: 10 }))
      .catch((error: unknown) => error as InstanceType<typeof OpenAI.APIError>);
    const rejected = ('headers' in failure && failure.headers?.get('x-request-id')) || '';
    const why = () => send('GET', `requests/${rejected}/explanation`);
    await eventually(async () => (await why()).status === 200);
    expect(await why()).toMatchObject({
      answer: {
        outcome: 'rejected',
        rejection: { code: 'budget_exceeded', facts: { limit_micro_usd: '1' }, asked: { key: id } },
      },
    });
    const row = {
      request_id: rejected,
      purpose: 'chat_completion',
      facts: { limit_micro_usd: '1' },
    };
    for (const query of ['', '?code=budget_exceeded']) {
      const { answer } = await send('GET', `rejections${query}`);
      expect(answer).toMatchObject({
        rejections: expect.arrayContaining([
          expect.objectContaining({ ...row, facts: expect.objectContaining(row.facts) }),
        ]),
      });
    }
    expect(await send('GET', 'rejections?code=another')).toMatchObject({
      answer: { rejections: [] },
    });
    expect((await send('GET', 'requests/none/explanation')).status).toBe(400);
    const unknown = await send('GET', 'requests/01890a5d-ac96-774b-bcce-b302099a8057/explanation');
    expect(unknown).toMatchObject({ status: 404, answer: { code: 'request_not_found' } });
    const { renter_key: renter } = world.credentials;
    expect((await send('GET', `requests/${charged}/explanation`, undefined, renter)).status).toBe(
      401,
    );
    await send('DELETE', `budgets/keys/${id}`);
  });

  it('are not for a renter key, and not for a key that is not there', async () => {
    const { renter_key: renter } = world.credentials;
    expect((await send('GET', 'budgets', undefined, renter)).status).toBe(401);
    const unknown = await send('PUT', 'budgets/keys/0123456789abcdef', { usd_per_day: 1 });
    expect(unknown).toMatchObject({ status: 404, answer: { code: 'api_key_not_found' } });
    expect((await send('DELETE', 'budgets/account')).answer.code).toBe('budget_not_found');
  });

  it('are not lifted by the key that they limit, nor by a new key that it issues', async () => {
    const { id, apiKey } = await issue(['inference', 'manage_keys', 'manage_money']);
    await send('PUT', `budgets/keys/${id}`, { usd_per_day: 1 });
    const own = await send('DELETE', `budgets/keys/${id}`, undefined, apiKey);
    expect(own).toMatchObject({ status: 403, answer: { code: 'budget_not_changeable' } });
    const wider = await send('PUT', `budgets/keys/${id}`, { usd_per_day: 2 }, apiKey);
    expect(wider.status).toBe(403);
    const issued = await send('POST', 'auth/keys', { name: 'wider' }, apiKey);
    expect(issued).toMatchObject({ status: 403, answer: { code: 'api_key_limited' } });
    expect((await send('DELETE', `budgets/keys/${id}`)).status).toBe(200);
    expect((await send('POST', 'auth/keys', { name: 'free' }, apiKey)).status).toBe(201);
  });
});
