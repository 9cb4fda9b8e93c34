import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { completionOf, json, type Script, statement } from '#areas/inference/rigs/upstream.fake.js';
import { CommandLine, type CreatedUser } from './command-line.fixture.js';
import { chatRequest, MODEL, startWorld, type World } from './quipu.harness.js';

const answer: Script = (response, received) =>
  json(200, completionOf('A quipu', statement(9, 3)))(response, received);
const PERSON = 'ada.lovelace@example.com';

interface Listed {
  readonly requests: readonly Readonly<Record<string, unknown>>[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

describe('the requests and the spend of an account', () => {
  let world: World;
  let ada: CreatedUser;
  let requestId: string;
  const commands = new CommandLine(() => world);
  const today = new Date().toISOString().slice(0, 10);
  const http = () => request(world.quipu.url);
  const as = (key: string) => ({ authorization: `Bearer ${key}` });
  const ask = (body: Readonly<Record<string, unknown>>, tags?: string) =>
    http()
      .post('/v1/chat/completions')
      .set({ ...as(ada.api_key), ...(tags !== undefined && { 'x-quipu-tags': tags }) })
      .send(chatRequest(body));
  const get = async (path: string, query: object = {}, key = ada.api_key) => {
    const { body } = await http().get(path).query(query).set(as(key)).expect(200);
    return body as Listed;
  };

  beforeAll(async () => {
    world = await startWorld([answer, answer]);
    ada = await commands.createUser('ada', 'renter');
    await commands.result('account', 'credit', '--user', 'ada', '--usd', '1', '--reason', 'spec');
    const asked = { user: PERSON, metadata: { env: 'test', thread: 'x'.repeat(60) } };
    const first = await ask(asked, 'project=alpha').expect(200);
    requestId = String(first.headers['x-request-id']);
    await ask({}).expect(200);
  });

  afterAll(() => world.close());

  it('lists them with their labels, and finds them by each', async () => {
    const { requests: all } = await get('/api/v1/requests');
    expect(all).toHaveLength(2);
    const [, first] = all;
    expect(first).toMatchObject({
      id: requestId,
      status: 'charged',
      product: 'chat_completion',
      mode: 'auto',
      model: MODEL,
      key_name: expect.any(String),
      end_user: expect.stringMatching(/^[0-9a-f]{64}$/),
      tags: ['env=test', 'project=alpha'],
      first_byte_ms: null,
    });
    for (const filter of [
      { user: PERSON },
      { user: first?.['end_user'] },
      { tag: 'project=alpha' },
      { tag: 'env=test', model: MODEL, key: first?.['key_id'] },
    ]) {
      const { requests: found } = await get('/api/v1/requests', filter);
      expect(found.map(({ id }) => id)).toEqual([requestId]);
    }
    const one = await get(`/api/v1/requests/${requestId}`);
    expect(one['request']).toEqual(first);
    expect(JSON.stringify(await get(`/api/v1/requests/${requestId}/explanation`))).not.toContain(
      PERSON,
    );
  });

  it('shows them to the account and to an Admin only', async () => {
    const admin = world.credentials.api_key;
    const ofAda = { account_id: String(ada.user_id) };
    expect((await get('/api/v1/requests', ofAda, admin)).requests).toHaveLength(2);
    expect((await get('/api/v1/requests', {}, admin)).requests).toEqual([]);
    await http().get('/api/v1/requests?account_id=1').set(as(ada.api_key)).expect(403);
  });

  it('rejects tags that do not fit by the name of the header', async () => {
    const { body } = (await ask({}, 'alpha').expect(400)) as { readonly body: object };
    expect(body).toMatchObject({ error: { code: 'invalid_request', param: 'x-quipu-tags' } });
  });

  it('sums to the statement', async () => {
    const period = { from: today, to: today };
    const byTag = await get('/api/v1/spend', { ...period, by: 'tag:project,class' });
    expect(byTag.rows.map(({ group }) => group)).toContainEqual({
      'tag:project': 'alpha',
      class: 'input_tokens',
    });
    const statementOf = await get(`/api/v1/billing/statements/${today.slice(0, 7)}`);
    const total = Number(byTag['total_usd']) * 1e6;
    expect(total).toBeGreaterThan(0);
    const charged_micro_usd = String(Math.round(total));
    expect(statementOf).toMatchObject({ totals: { charged_micro_usd } });
    const focus = { ...period, format: 'focus' };
    const { text } = await http()
      .get('/api/v1/spend/report.csv')
      .query(focus)
      .set(as(ada.api_key))
      .expect(200);
    expect(text.split('\r\n')[0]).toContain('BilledCost,BillingAccountId');
    expect(text).toContain('AI and Machine Learning');
  });

  it('rejects what is no group, day or time zone by the name of its field', async () => {
    const period = { from: today, to: today };
    for (const [query, param] of [
      [{ ...period, by: 'colour' }, 'by'],
      [{ ...period, tz: 'Mars/Olympus' }, 'tz'],
      [{ from: today, to: '2020-01-01' }, 'from'],
    ] as const) {
      const { body } = await http()
        .get('/api/v1/spend')
        .query(query)
        .set(as(ada.api_key))
        .expect(400);
      expect(body).toMatchObject({ param });
    }
  });

  it('shows both on the command line, and checks the spend with the ledger', async () => {
    const listed = await commands.result('requests', '--user', 'ada', '--tag', 'project=alpha');
    expect(listed).toMatchObject({ requests: [{ id: requestId }] });
    const period = ['--from', today, '--to', today] as const;
    const spent = await commands.result('spend', '--user', 'ada', ...period, '--by', 'key');
    expect(spent).toMatchObject({ rows: [{ kind: 'usage' }] });
    expect(await commands.result('ledger', 'check')).toMatchObject({ balanced: true });
  });
});
