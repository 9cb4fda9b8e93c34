import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { runCommand } from './command-line.fixture.js';
import { answering, chatRequest, startWorld, type World } from './quipu.harness.js';

interface Team {
  readonly team_id: string;
  readonly parent_id: string;
  readonly members: readonly { readonly member_id: string; readonly user_id: number }[];
}

interface Key {
  readonly api_key: string;
  readonly key: { readonly id: string };
}

interface User {
  readonly user_id: number;
  readonly api_key: string;
}

describe('teams over HTTP', () => {
  let world: World;
  let root: string;
  let team: Team;
  let bob: User;

  const as = (credential: string) => {
    const url = (path: string) => `/api/v1/${path}`;
    const agent = request(world.quipu.url);
    const bearer = ['Authorization', `Bearer ${credential}`] as const;
    return {
      get: (path: string) => agent.get(url(path)).set(...bearer),
      post: (path: string) => agent.post(url(path)).set(...bearer),
      put: (path: string) => agent.put(url(path)).set(...bearer),
      delete: (path: string) => agent.delete(url(path)).set(...bearer),
      chat: (body: object = {}) =>
        agent
          .post('/v1/chat/completions')
          .set(...bearer)
          .send(chatRequest({ max_tokens: 10, ...body })),
    };
  };

  const userOf = async (username: string): Promise<User> => {
    const scopes = ['inference', 'read_billing', 'manage_keys', 'manage_money'];
    const order = { username, email: `${username}@quipu.test`, role: 'renter', scopes };
    const { body } = await as(root).post('users').send(order).expect(201);
    return body as User;
  };

  const issued = async (credential: string, teamId: string, more: object = {}): Promise<Key> => {
    const order = { name: 'a program', ...more };
    const { body } = await as(credential).post(`teams/${teamId}/keys`).send(order).expect(201);
    return body as Key;
  };

  const keyOf = async (credential: string, more: object = {}): Promise<string> =>
    (await issued(credential, team.team_id, more)).api_key;

  const teamBelow = async (credential: string, name: string): Promise<string> => {
    const { body } = await as(credential).post('teams').send({ name }).expect(201);
    return (body as { readonly team: Team }).team.team_id;
  };

  const invited = async (user: User, role: string): Promise<void> => {
    const path = `teams/${team.team_id}/invitations`;
    const { body } = await as(root).post(path).send({ role }).expect(201);
    const { token } = body as { readonly token: string };
    await as(user.api_key).post('teams/invitations/accept').send({ token }).expect(200);
    await as(user.api_key).post('teams/invitations/accept').send({ token }).expect(401);
  };

  beforeAll(async () => {
    world = await startWorld([answering('Knots', ' keep')], {
      environment: { QUIPU_FUNDS_WAIT_MS: '0' },
    });
    root = world.credentials.api_key;
    bob = await userOf('bob');
    const { body } = await as(root).post('teams').send({ name: 'search' }).expect(201);
    ({ team } = body as { readonly team: Team });
  });

  afterAll(() => world.close());

  it('begin with an owner and no money', async () => {
    expect(team).toMatchObject({ name: 'search', depth: 1, funds: { available_usd: 0 } });
    expect(team.members).toMatchObject([{ role: 'owner', source: 'creation' }]);
    const { body } = await as(root).get('teams').expect(200);
    expect(body).toMatchObject({ below: [{ team_id: team.team_id }] });
    await as(await keyOf(root))
      .chat()
      .expect(402);
  });

  it('are not there for others', async () => {
    const { body } = await as(bob.api_key).get(`teams/${team.team_id}`).expect(404);
    expect(body).toMatchObject({ code: 'team_not_found' });
    await as(bob.api_key).post(`teams/${team.team_id}/keys`).send({ name: 'mine' }).expect(404);
    const order = { amount_usd: 1 };
    await as(bob.api_key).post(`teams/${team.team_id}/allotments`).send(order).expect(404);
  });

  it('spend their allotment, and give back the rest', async () => {
    const order = { amount_usd: 1, reason: 'spec' };
    const path = `teams/${team.team_id}`;
    const { body } = await as(root).post(`${path}/allotments`).send(order).expect(201);
    expect(body).toMatchObject({ funds: { funded_usd: 1, available_usd: 1 } });
    const above = { amount_usd: 100_000 };
    const { body: rejected } = await as(root).post(`${path}/allotments`).send(above).expect(409);
    expect(rejected).toMatchObject({ code: 'allotment_above_available' });
    await as(await keyOf(root))
      .chat()
      .expect(200);
    const { body: all } = await as(root).post(`${path}/take_backs`).send(order).expect(409);
    expect(all).toMatchObject({ code: 'allotment_above_available' });
    const half = { amount_usd: 0.5 };
    const { body: back } = await as(root).post(`${path}/take_backs`).send(half).expect(201);
    expect(back).toMatchObject({ funds: { funded_usd: 0.5, charged_usd: 0.000013 } });
  });

  it('are groups of the spend of the account above', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { body } = await as(root).get(`spend?from=${today}&to=${today}&by=team`).expect(200);
    expect(body).toMatchObject({ rows: [{ group: { team: team.team_id } }] });
  });

  it('do not lift the budget of the account above, which 400 at once do not pass', async () => {
    const key = await keyOf(root);
    await as(root).put(`teams/${team.team_id}/budget`).send({ usd_in_total: 0.0005 }).expect(200);
    const { body } = await as(key).delete('budgets/account').expect(403);
    expect(body).toMatchObject({ code: 'budget_not_changeable' });
    await as(key).put('budgets/account').send({ usd_in_total: 1 }).expect(403);
    await as(key).put(`teams/${team.team_id}/budget`).send({ usd_in_total: 1 }).expect(403);
    const asked = await Promise.all(Array.from({ length: 400 }, () => as(key).chat()));
    const statuses = new Set(asked.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 402]);
    const { body: after } = await as(key).get('budgets').expect(200);
    const { budgets } = after as { budgets: { owner: string; total: Record<string, number> }[] };
    expect(budgets).toMatchObject([{ owner: 'parent', total: { held_usd: 0 } }]);
    const charged = budgets[0]?.total['charged_usd'] ?? 1;
    expect(charged).toBeLessThanOrEqual(0.0005);
    const admitted = asked.filter(({ status }) => status === 200).length;
    expect(charged).toBeCloseTo(admitted * 0.000013, 6);
    await as(root).delete(`teams/${team.team_id}/budget`).expect(200);
  });

  it('do not show what a member does elsewhere', async () => {
    const { headers } = await as(root).chat().expect(200);
    const audited = (credential: string) =>
      request(world.quipu.url)
        .get(`/audit/requests/${headers['x-request-id']}`)
        .set('Authorization', `Bearer ${credential}`);
    await audited(root).expect(200);
    const key = await keyOf(root, { scopes: ['inference', 'read_billing'] });
    const { body } = await audited(key).expect(404);
    expect(body).toMatchObject({ code: 'audited_request_not_found' });
  });

  it('have members by invitations that can be withdrawn', async () => {
    const path = `teams/${team.team_id}/invitations`;
    const { body } = await as(root).post(path).send({ role: 'developer' }).expect(201);
    const { token, invitation } = body as { token: string; invitation: { invitation_id: string } };
    await as(root).delete(`${path}/${invitation.invitation_id}`).expect(200);
    const accepting = as(bob.api_key).post('teams/invitations/accept').send({ token });
    expect((await accepting.expect(401)).body).toMatchObject({ code: 'invalid_invitation' });
  });

  it('give a key of a member the scopes of its role, and none after the removal', async () => {
    await invited(bob, 'auditor');
    const key = await keyOf(bob.api_key);
    await as(key).get('budgets').expect(200);
    const { body: chat } = await as(key).chat().expect(403);
    expect(chat).toMatchObject({ error: { code: 'scope_missing' } });
    await as(key).post('teams').send({ name: 'below' }).expect(403);
    const wide = { name: 'wide', scopes: ['inference'] };
    await as(bob.api_key).post(`teams/${team.team_id}/keys`).send(wide).expect(403);

    const { body } = await as(bob.api_key).get(`teams/${team.team_id}`).expect(200);
    const { members } = (body as { team: Team }).team;
    const memberId = members.find(({ user_id: id }) => id === bob.user_id)?.member_id ?? '';
    const ofBob = `teams/${team.team_id}/members/${memberId}`;
    await as(bob.api_key).put(ofBob).send({ role: 'owner' }).expect(403);
    await as(root).put(ofBob).send({ role: 'developer' }).expect(200);
    await as(key).chat().expect(403);
    const developer = await keyOf(bob.api_key);
    await as(developer).chat().expect(200);
    await as(developer).get('budgets').expect(403);

    await as(root).delete(ofBob).expect(200);
    await as(developer).chat().expect(401);
    await as(key).get('budgets').expect(401);
    await as(bob.api_key).get('auth/keys').expect(200);
    await invited(bob, 'developer');
    await as(developer).chat().expect(401);
  });

  it('have keys that manage no key of their user', async () => {
    const key = await keyOf(root);
    const { body: rejected } = await as(key).get('auth/keys').expect(401);
    expect(rejected).toMatchObject({ code: 'credential_not_accepted' });
    await as(key).post('auth/keys').send({ name: 'own' }).expect(401);
    await as(key).post(`teams/${team.team_id}/keys`).send({ name: 'next' }).expect(401);
    const { body } = await as(root).get(`teams/${team.team_id}/keys`).expect(200);
    const { keys } = body as { keys: { id: string }[] };
    for (const { id } of keys) {
      await as(root).delete(`teams/${team.team_id}/keys/${id}`).expect(200);
    }
    await as(key).get('budgets').expect(401);
  });

  it('have teams below them to a limited depth', async () => {
    const key = await keyOf(root);
    const { body } = await as(key).post('teams').send({ name: 'ranking' }).expect(201);
    const { team: project } = body as { team: Team };
    expect(project).toMatchObject({ depth: 2, parent_id: team.team_id });
    await as(key).post(`teams/${project.team_id}/allotments`).send({ amount_usd: 0.1 }).expect(201);
    await as(root).get(`teams/${project.team_id}`).expect(200);
    const skipping = as(root).post(`teams/${project.team_id}/allotments`);
    await skipping.send({ amount_usd: 0.1 }).expect(404);
  });

  it('have keys that their members replace, with an overlap', async () => {
    const old = await issued(root, team.team_id, { scopes: ['inference', 'read_billing'] });
    const path = `teams/${team.team_id}/keys/${old.key.id}/rotate`;
    await as(bob.api_key).post(path).send({}).expect(404);
    await as(old.api_key).post(path).send({}).expect(401);
    const order = { overlap_seconds: 60 };
    const { body } = await as(root).post(path).send(order).expect(201);
    const { api_key: next, key } = body as Key;
    expect(key).toMatchObject({ name: 'a program', scopes: ['inference', 'read_billing'] });
    for (const one of [old.api_key, next]) {
      const { body: budgets } = await as(one).get('budgets').expect(200);
      expect(budgets).toMatchObject({ success: true });
      await as(one).get('auth/keys').expect(401);
    }
    await as(root).post(path).send(order).expect(404);
    const { body: last } = await as(root)
      .post(`teams/${team.team_id}/keys/${key.id}/rotate`)
      .send({})
      .expect(201);
    await as(next).get('budgets').expect(401);
    await as((last as Key).api_key)
      .get('budgets')
      .expect(200);
  });

  it('are taxed as the account above, unless they have a status of their own', async () => {
    const { api_key: key } = await issued(root, team.team_id);
    await as(root).put('tax_status').send({ country: 'DE' }).expect(200);
    const { body: above } = await as(key).get('tax_status').expect(200);
    expect(above).toMatchObject({
      ...{ account_id: team.team_id, inherited_from: team.parent_id, iso_country: 'DE' },
    });
    const { body: own } = await as(key).put('tax_status').send({ country: 'FR' }).expect(200);
    expect(own).toMatchObject({ inherited_from: null, iso_country: 'FR' });
    const { body: ofRoot } = await as(root).get('tax_status').expect(200);
    expect(ofRoot).toMatchObject({ inherited_from: null, iso_country: 'DE' });
  });

  it('are closed by an owner above: nothing is lost, and no key works', async () => {
    const closing = await teamBelow(root, 'closing');
    const path = `teams/${closing}`;
    await as(root).post(`${path}/allotments`).send({ amount_usd: 1 }).expect(201);
    const { api_key: key } = await issued(root, closing);
    await as(key).chat().expect(200);
    const below = await teamBelow(key, 'below');
    const early = await as(root).post(`${path}/close`).send({}).expect(409);
    expect(early.body).toMatchObject({ code: 'sub_accounts_open' });
    await as(bob.api_key).post(`${path}/close`).send({}).expect(404);
    await as(key).post(`${path}/close`).send({}).expect(403);
    await as(key).post(`teams/${below}/close`).send({}).expect(200);

    const invitation = await as(root).post(`${path}/invitations`).send({ role: 'auditor' });
    const { token } = invitation.body as { readonly token: string };
    const { body } = await as(root).post(`${path}/close`).send({}).expect(200);
    expect(body).toMatchObject({
      team: {
        ...{ members: [], invitations: [], closed_at: expect.any(String) },
        funds: { funded_usd: 0.000013, charged_usd: 0.000013, held_usd: 0, available_usd: 0 },
      },
    });
    await as(key).chat().expect(401);
    await as(key).get('budgets').expect(401);
    await as(bob.api_key).post('teams/invitations/accept').send({ token }).expect(401);
    await as(root).post(`${path}/keys`).send({ name: 'late' }).expect(403);
    const inviting = await as(root).post(`${path}/invitations`).send({ role: 'auditor' });
    expect(inviting.body).toMatchObject({ code: 'team_closed' });
    const sending = await as(root).post(`${path}/allotments`).send({ amount_usd: 1 }).expect(403);
    expect(sending.body).toMatchObject({ code: 'account_closed' });
    await as(root).post(`${path}/close`).send({}).expect(200);

    const listed = async (query: string) => {
      const { body: list } = await as(root).get(`teams${query}`).expect(200);
      return (list as { below: Team[] }).below.map((one) => one.team_id);
    };
    expect(await listed('')).not.toContain(closing);
    expect(await listed('?include_closed=true')).toContain(closing);
    await as(root).get(path).expect(200);
    const today = new Date().toISOString().slice(0, 10);
    const { body: spend } = await as(root).get(`spend?from=${today}&to=${today}&by=team`);
    const { rows } = spend as { rows: { group: { team: string | null } }[] };
    expect(rows.map(({ group }) => group.team)).toContain(closing);
  });

  it('are managed by the command line, and the ledger balances', async () => {
    const run = (...args: string[]) => runCommand(world.environment, args);
    const listed = await run('team', 'show', '--team', team.team_id, '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({ name: 'search', depth: 1 });
    const moved = ['--team', team.team_id, '--usd', '0.25', '--reason', 'spec', '--json'];
    const allotted = await run('team', 'allot', ...moved);
    expect(JSON.parse(allotted.stdout)).toMatchObject({ team_id: team.team_id });
    const ofCommand = await teamBelow(root, 'of the command line');
    const close = await run('team', 'close', '--team', ofCommand, '--yes', '--json');
    expect(JSON.parse(close.stdout)).toMatchObject({ closed_at: expect.any(String) });
    const checked = await run('ledger', 'check', '--json');
    expect(JSON.parse(checked.stdout)).toMatchObject({
      ...{ balanced: true, in_transit_micro_usd: '0', faults: [] },
    });
  });
});
