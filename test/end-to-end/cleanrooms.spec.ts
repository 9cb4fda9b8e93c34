import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { type Standalone } from '#apps/processes/standalone.process.js';
import { type RoomRows } from '#areas/cleanrooms/room-rows.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CommandLine, type CreatedUser } from './command-line.fixture.js';
import { loadQuipu } from './loaded-quipu.js';
import { eventually } from './quipu.harness.js';

const ROOMS = '/api/v1/cleanrooms';
const CATALOG = `
rigs:
  - { name: nowhere, kind: openai, base_url: 'http://127.0.0.1:9/v1' }
models:
  - { id: acme/any, owned_by: acme, rigs: [nowhere], context: 8192, max_output: 100,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
meters:
  - { meter: privacy_spends, usd: 0.01, per: 1 }
  - { meter: synthetic_rows, usd: 0.50, per: 1000000 }
`;

type Body = Readonly<Record<string, unknown>>;

describe('clean rooms', () => {
  let home: string;
  let quipu: Standalone;
  let owner: Bootstrap;
  let rows: RoomRows;
  let analyst: CreatedUser;
  let contributor: CreatedUser;
  let outsider: CreatedUser;
  let environment: NodeJS.ProcessEnv;
  const cli = new CommandLine(() => ({ environment }));

  beforeAll(async () => {
    const { startStandalone, RoomRows: token } = await loadQuipu();
    home = await mkdtemp(path.join(tmpdir(), 'quipu-cleanrooms-'));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, CATALOG);
    environment = { QUIPU_HOME: home, QUIPU_CATALOG: catalog, QUIPU_LOG_LEVEL: 'silent' };
    quipu = await startStandalone(environment);
    owner = JSON.parse(await readFile(path.join(home, 'bootstrap.json'), 'utf8')) as Bootstrap;
    rows = quipu.app.get<RoomRows>(token, { strict: false });
    analyst = await cli.createUser('ann', 'renter');
    contributor = await cli.createUser('con', 'renter');
    outsider = await cli.createUser('out', 'renter');
    await cli.result('account', 'credit', '--user', 'ann', '--usd', '10', '--reason', 'spec');
  });

  afterAll(async () => {
    await quipu.stop();
    await rm(home, { recursive: true });
  });

  const ask = async (
    by: { readonly api_key: string },
    method: 'get' | 'post' | 'put' | 'delete',
    route: string,
    sent: object = {},
    status = 200,
  ): Promise<Body> => {
    const asking = request(quipu.url)[method](route).set('authorization', `Bearer ${by.api_key}`);
    const answered = method === 'get' ? asking.query(sent) : asking.send(sent);
    const { body } = await answered.expect(status);
    return body as Body;
  };

  const create = async (more: object = {}): Promise<string> => {
    const { cleanroom } = await ask(owner, 'post', ROOMS, {
      ...{ name: 'Wait times', total_epsilon: 10, contributors_min: 1 },
      participants: [
        { account_id: String(analyst.user_id), role: 'analyst' },
        { account_id: String(contributor.user_id), role: 'contributor' },
      ],
      ...more,
    });
    const { uuid } = cleanroom as { readonly uuid: string };
    await ask(owner, 'put', `${ROOMS}/${uuid}/schema`, {
      columns: [
        { name: 'clinic', kind: 'category', values: ['north', 'south'] },
        { name: 'wait_hours', kind: 'number', minimum: 0, maximum: 12, step: 0.25 },
      ],
    });
    return uuid;
  };

  const deposit = (cleanroomId: string, count: number) => {
    const contributionId = derivedId('rows', cleanroomId);
    const values = Array.from({ length: count }, (_, row) => [
      row % 4 === 0 ? 'south' : 'north',
      (row % 9) / 4,
    ]);
    return rows.deposit(
      {
        ...{ cleanroomId, contributionId, schemaVersion: 1, rows: values },
        accountId: String(contributor.user_id),
      },
      contextOf(contributionId, `user:${contributor.user_id}`),
    );
  };

  const listed = async (by: { readonly api_key: string }, query: object = {}) =>
    ask(by, 'get', `${ROOMS}/index.php`, { action: 'list', ...query });

  it('are listed for participants, and do not exist for others', async () => {
    const uuid = await create();
    expect(await listed(analyst)).toMatchObject({
      success: true,
      total_cleanrooms: 1,
      cleanrooms: [
        {
          ...{ id: 1, uuid, name: 'Wait times', participant_count: 2, computation_count: 0 },
          ...{ tee_type: expect.any(String), attestation_status: expect.any(String) },
          privacy_budget_total_epsilon: 10,
          privacy_budget_spent_epsilon: 0,
          privacy_budget_remaining_epsilon: 10,
        },
      ],
    });
    expect(await listed(outsider)).toMatchObject({ total_cleanrooms: 0, cleanrooms: [] });
    const there = await ask(outsider, 'get', `${ROOMS}/${uuid}`, {}, 404);
    const nowhere = await ask(outsider, 'get', `${ROOMS}/${derivedId('a', uuid)}`, {}, 404);
    const errorOf = ({ code, message }: Body) => ({ code, message });
    expect(errorOf(there)).toEqual(errorOf(nowhere));
    expect(there).toMatchObject({ code: 'cleanroom_not_found' });
    const query = { aggregate: 'count', epsilon: 1 };
    for (const [method, route, sent] of [
      ['post', `${uuid}/queries`, query],
      ['get', `${uuid}/spends`, {}],
      ['post', `${uuid}/participants`, { account_id: '1', role: 'analyst' }],
      ['post', 'index.php', { action: 'attest_enclave', cleanroom_uuid: uuid }],
    ] as const) {
      expect(await ask(outsider, method, `${ROOMS}/${route}`, sent, 404)).toMatchObject({
        code: 'cleanroom_not_found',
      });
    }
  });

  it('admit exactly the budget of a hundred concurrent queries', async () => {
    const uuid = await create();
    await deposit(uuid, 200);
    const before = await listed(analyst);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        request(quipu.url)
          .post(`${ROOMS}/${uuid}/queries`)
          .set('authorization', `Bearer ${analyst.api_key}`)
          .send({
            aggregate: 'count',
            epsilon: 0.25,
            where: [{ column: 'wait_hours', from: (n % 10) / 4, to: 3 + Math.floor(n / 10) / 4 }],
          }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
    expect(statuses.filter((status) => status === 402)).toHaveLength(60);
    const rejected = answers.find(({ status }) => status === 402);
    expect(rejected?.body).toMatchObject({
      code: 'privacy_budget_exceeded',
      message: expect.stringContaining('0 is left'),
    });
    const room = async (query: object = {}) => {
      const { cleanrooms } = await listed(analyst, query);
      return (cleanrooms as Body[]).find((one) => one['uuid'] === uuid);
    };
    expect(await room()).toMatchObject({
      privacy_budget_spent_epsilon: 10,
      privacy_budget_remaining_epsilon: 0,
      computation_count: 40,
    });
    expect(await room({ asOf: before['position'] })).toMatchObject({
      privacy_budget_spent_epsilon: 0,
      privacy_budget_remaining_epsilon: 10,
    });
    const last = Number((await listed(analyst))['position']);
    for (let position = last - 60; position < last; position += 7) {
      const { privacy_budget_spent_epsilon: spent, privacy_budget_remaining_epsilon: left } =
        (await room({ asOf: String(position) })) ?? {};
      expect(Number(spent) + Number(left)).toBe(10);
    }
    expect(await cli.result('cleanroom', 'audit')).toMatchObject({ sound: true });
  });

  it('answer the same query once, and prove its spend to a contributor', async () => {
    const uuid = await create();
    await deposit(uuid, 400);
    const query = { aggregate: 'mean', column: 'wait_hours', group_by: ['clinic'], epsilon: 2 };
    const first = await ask(analyst, 'post', `${ROOMS}/${uuid}/queries`, query);
    expect(first).toMatchObject({
      success: true,
      is_new: true,
      privacy_budget_remaining_epsilon: 8,
      spend: { mechanism: 'discrete_laplace', epsilon: '2', cost: '2', sensitivity: '48' },
      cells: [{ group: { clinic: 'north' } }, { group: { clinic: 'south' } }],
      values: null,
      table: null,
    });
    const [north] = first['cells'] as { value: number; interval_95: [number, number] }[];
    expect(north?.interval_95[0]).toBeLessThanOrEqual(north?.value ?? -1);
    expect(north?.interval_95[1]).toBeLessThan(12);
    const again = await ask(analyst, 'post', `${ROOMS}/${uuid}/queries`, query);
    expect(again).toMatchObject({ is_new: false, spend: first['spend'], cells: first['cells'] });
    const spends = await ask(contributor, 'get', `${ROOMS}/${uuid}/spends`);
    expect(spends).toMatchObject({ total_spends: 1, spends: [{ epsilon: '2' }] });
    const [listedSpend] = spends['spends'] as { spend_id: string }[];
    const spendId = listedSpend?.spend_id ?? '';
    const proof = await ask(contributor, 'get', `/audit/requests/${spendId}`);
    expect(JSON.stringify(proof)).toContain('PrivacySpent');
    expect(await ask(outsider, 'get', `/audit/requests/${spendId}`, {}, 404)).toMatchObject({
      code: 'audited_request_not_found',
    });
    // The rows of a contributor are in no proof that an analyst gets.
    const deposited = `/audit/requests/${derivedId('rows', uuid)}`;
    expect(await ask(analyst, 'get', deposited, {}, 404)).toMatchObject({ success: false });
  });

  it('answer chats from a synthetic table, and say what it spent', async () => {
    const uuid = await create();
    await deposit(uuid, 400);
    const chat = {
      ...{ model: 'acme/any', routing_mode: 'cleanroom_dp_synthesize', cleanroom_uuid: uuid },
      messages: [{ role: 'user', content: '{"rows": 50, "epsilon": "3"}' }],
    };
    const post = (sent: object) =>
      request(quipu.url)
        .post('/v1/chat/completions')
        .set('authorization', `Bearer ${analyst.api_key}`)
        .send(sent);
    const { body: answer } = await post(chat).expect(200);
    expect(answer).toMatchObject({
      routing_mode: 'cleanroom_dp_synthesize',
      cleanroom: { is_new: true, epsilon: '3', privacy_budget_remaining_epsilon: 7 },
    });
    const { content } = (answer as { choices: { message: { content: string } }[] }).choices[0]
      ?.message ?? { content: '' };
    expect(content).toContain('spent epsilon 3');
    expect(content.trimEnd().split('\r\n')).toHaveLength(51);
    const { body: again } = await post(chat).expect(200);
    expect(again).toMatchObject({ cleanroom: { is_new: false } });
    const question = (content: string) => ({ ...chat, messages: [{ role: 'user', content }] });
    const say = async (asked: string) =>
      (await post(question(asked)).expect(200)).body as {
        readonly cleanroom: Body;
        readonly choices: readonly { readonly message: { readonly content: string } }[];
      };
    const counted = await say('How many rows have clinic = north?');
    expect(counted.cleanroom).toMatchObject({ is_new: true, epsilon: '1' });
    const [, north = '0'] =
      /^(\d+) of 1000 synthetic/.exec(counted.choices[0]?.message.content ?? '') ?? [];
    // Three of four rows are from the north.
    expect(Math.abs(Number(north) - 750)).toBeLessThan(100);
    expect(counted.choices[0]?.message.content).toContain('spent epsilon 1');
    // Another question has its answer in the same table, which is paid for.
    expect((await say('mean of wait_hours by clinic')).cleanroom).toMatchObject({
      ...{ is_new: false, privacy_budget_remaining_epsilon: 6 },
    });
    for (const unanswerable of ['Who waits longest?', 'mean of clinic']) {
      const { body: rejected } = await post(question(unanswerable)).expect(400);
      expect(rejected).toMatchObject({ error: { param: 'messages' } });
    }
    const { cleanroom_uuid: _, ...without } = chat;
    const { body: missing } = await post(without).expect(400);
    expect(missing).toMatchObject({ error: { param: 'cleanroom_uuid' } });
    const { body: other } = await post({ ...chat, routing_mode: 'auto' }).expect(400);
    expect(other).toMatchObject({ error: { param: 'cleanroom_uuid' } });
  });

  it('forget withdrawn rows, and are created and listed on the command line', async () => {
    const uuid = await create();
    const { contributionId } = await deposit(uuid, 20);
    await ask(contributor, 'delete', `${ROOMS}/${uuid}/contributions/${contributionId}`);
    const room = await ask(contributor, 'get', `${ROOMS}/${uuid}`);
    expect(room).toMatchObject({ cleanroom: { contributions: [], contributor_count: 0 } });
    await eventually(async () => {
      const deposited = await deposit(uuid, 20).catch((error: unknown) => error);
      return (deposited as Error).name === 'SubjectErasedError';
    });
    const made = (await cli.result(
      ...['cleanroom', 'create', '--user', owner.username, '--name', 'By hand'],
      ...['--epsilon', '3', '--delta', '0.000001', '--rule', 'zcdp', '--analyst', analyst.username],
    )) as Body;
    expect(made).toMatchObject({ cleanroom_uuid: expect.any(String) });
    const { cleanrooms } = (await cli.result('cleanroom', 'list')) as { cleanrooms: Body[] };
    expect(cleanrooms).toContainEqual(
      expect.objectContaining({ uuid: made['cleanroom_uuid'], privacy_budget_total_epsilon: 3 }),
    );
  });
});
