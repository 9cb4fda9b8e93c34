import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { runCommand } from './command-line.fixture.js';
import { answering, startWorld, type World } from './quipu.harness.js';

interface Created {
  readonly user_id: number;
  readonly api_key: string;
  readonly password: string;
}

interface Session {
  readonly access_token: string;
  readonly api_key: string;
}

interface Offered {
  readonly token: string;
}

interface Open {
  readonly sessions: readonly { readonly session_id: string; readonly app_name: string | null }[];
}

describe('the users of an installation', () => {
  let world: World;
  let ada: Created;

  beforeAll(async () => {
    world = await startWorld([answering('Knots')], { environment: { QUIPU_TRUST_PROXY: '1' } });
    const scopes = ['inference', 'read_billing', 'manage_keys'];
    const order = { username: 'ada', email: 'ada@quipu.test', role: 'renter', scopes };
    ada = (await as(world.credentials.api_key).post('users').send(order).expect(201))
      .body as Created;
  });

  afterAll(() => world.close());

  const as = (credential: string) => ({
    get: (path: string) =>
      request(world.quipu.url).get(`/api/v1/${path}`).set('Authorization', `Bearer ${credential}`),
    post: (path: string) =>
      request(world.quipu.url).post(`/api/v1/${path}`).set('Authorization', `Bearer ${credential}`),
    delete: (path: string) =>
      request(world.quipu.url)
        .delete(`/api/v1/${path}`)
        .set('Authorization', `Bearer ${credential}`),
    put: (path: string) =>
      request(world.quipu.url).put(`/api/v1/${path}`).set('Authorization', `Bearer ${credential}`),
  });

  /** Each attempt comes from another address, so that none counts against the next. */
  let attempts = 0;
  const nextAddress = (): string => `192.0.2.${(attempts += 1)}`;

  const logIn = (password: string, more: object = {}) =>
    request(world.quipu.url)
      .post('/api/v1/auth/login')
      .set('x-forwarded-for', nextAddress())
      .send({ username: 'ada', password, ...more });

  const session = async (password: string): Promise<Session> =>
    (await logIn(password).expect(200)).body as Session;

  const quipu = async (...words: readonly string[]): Promise<unknown> => {
    const { exitCode, stdout, stderr } = await runCommand(world.environment, [...words, '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout) as unknown;
  };

  it('are listed to an operator only', async () => {
    const { body } = await as(world.credentials.api_key).get('users').expect(200);
    expect(body).toMatchObject({
      total_records: 2,
      users: [
        { user_id: 1, username: 'demo', role: 'Admin', status: 'active' },
        { user_id: ada.user_id, username: 'ada', email: 'ada@quipu.test', role: 'renter' },
      ],
    });
    await as(ada.api_key).get('users').expect(403);
    expect(await quipu('user', 'list')).toMatchObject({ total_records: 2 });
  });

  it('have no valid credential while they are disabled', async () => {
    const { access_token: token } = await session(ada.password);
    const path = `users/${ada.user_id}`;
    const first = await as(world.credentials.api_key).post(`${path}/disable`).expect(200);
    expect(first.body).toMatchObject({ changed: true });
    const again = await as(world.credentials.api_key).post(`${path}/disable`).expect(200);
    expect(again.body).toMatchObject({ changed: false });
    await as(ada.api_key).get('budgets').expect(401);
    await as(token).get('budgets').expect(401);
    expect((await logIn(ada.password).expect(403)).body).toMatchObject({ code: 'user_disabled' });
    expect((await logIn('a wrong one').expect(401)).body).toMatchObject({
      code: 'invalid_credentials',
    });
    expect(await quipu('user', 'enable', '--user', 'ada')).toMatchObject({ changed: true });
    await as(ada.api_key).get('budgets').expect(200);
    await as(token).get('budgets').expect(200);
  });

  it('change their password, which ends their sessions and not their keys', async () => {
    const { access_token: token, api_key: key } = await session(ada.password);
    const order = { current_password: 'a wrong one', new_password: 'another password' };
    await as(token).post('auth/password').send(order).expect(401);
    const correct = { ...order, current_password: ada.password };
    await as(token)
      .post('auth/password')
      .send({ ...correct, new_password: 'short' })
      .expect(400);
    await as(token).post('auth/password').send(correct).expect(200);
    await as(token).get('budgets').expect(401);
    await as(key).get('budgets').expect(401);
    const { body } = await as(ada.api_key).get('auth/keys').expect(200);
    expect(body).toMatchObject({ keys: [{ session_id: null }, { session_id: null }] });
    await logIn(ada.password).expect(401);
    await session('another password');
  });

  it('get another password and role from an operator', async () => {
    const { access_token: token } = await session('another password');
    const path = `users/${ada.user_id}`;
    const reset = await as(world.credentials.api_key).post(`${path}/reset_password`).expect(200);
    await as(token).get('budgets').expect(401);
    const { password } = reset.body as { readonly password: string };
    await session(password);
    const asOperator = { scopes: ['operate'] };
    const early = await logIn(password, asOperator).expect(403);
    expect(early.body).toMatchObject({ code: 'scope_not_allowed' });
    await as(world.credentials.api_key).put(`${path}/role`).send({ role: 'Admin' }).expect(200);
    const operator = (await logIn(password, asOperator).expect(200)).body as Session;
    expect(operator).toMatchObject(asOperator);
    await as(operator.access_token).get('users').expect(200);
    await as(operator.api_key).get('users').expect(200);
    const scopeless = await as(ada.api_key).get('users').expect(403);
    expect(scopeless.body).toMatchObject({ code: 'scope_missing', metadata: { scope: 'operate' } });
    const role = ['user', 'role', '--user', 'ada', '--role', 'renter'];
    expect(await quipu(...role)).toMatchObject({ changed: true });
    await as(operator.access_token).get('users').expect(403);
    await as(world.credentials.api_key).post('users/999/disable').expect(404);
  });

  it('set a password themselves with a token that an operator hands over, once', async () => {
    const operator = as(world.credentials.api_key);
    const path = `users/${ada.user_id}`;
    const first = (await operator.post(`${path}/password_reset`).expect(200)).body as Offered;
    const { token } = (await quipu('user', 'offer-reset', '--user', 'ada')) as Offered;
    const redeem = (offered: string, password = 'a fourth password') =>
      request(world.quipu.url)
        .post('/api/v1/auth/password_reset')
        .set('x-forwarded-for', nextAddress())
        .send({ token: offered, new_password: password });
    for (const bad of [first.token, `${token.slice(0, -1)}_`, 'svc_rst_999_none'])
      expect((await redeem(bad).expect(401)).body).toMatchObject({ code: 'invalid_reset' });
    await redeem(token, 'short').expect(400);
    await redeem(token).expect(200);
    await redeem(token).expect(401);
    await session('a fourth password');
    const log = JSON.stringify((await world.events()).map(({ data }) => data));
    expect(log).toContain('secretHash');
    expect(log).not.toContain(token);
  });

  it('see and end their sessions, and an operator the sessions of any user', async () => {
    const login = { scopes: ['manage_keys'], app_name: 'Pocket', device_info: 'Pixel' };
    const [mine, other] = await Promise.all(
      [login, { ...login, app_name: 'Desk' }].map(
        async (more) => (await logIn('a fourth password', more).expect(200)).body as Session,
      ),
    );
    const own = (
      await as(mine?.access_token ?? '')
        .get('auth/sessions')
        .expect(200)
    ).body as Open;
    const desk = own.sessions.find(({ app_name: app }) => app === 'Desk');
    expect(desk).toMatchObject({ device_info: 'Pixel', scopes: ['manage_keys'] });
    const id = desk?.session_id ?? '';
    await as(mine?.access_token ?? '')
      .delete(`auth/sessions/${id}`)
      .expect(200);
    await as(other?.access_token ?? '')
      .get('auth/sessions')
      .expect(401);
    await as(other?.api_key ?? '')
      .get('auth/sessions')
      .expect(401);
    const operator = as(world.credentials.api_key);
    const path = `users/${ada.user_id}/sessions`;
    const listed = (await operator.get(path).expect(200)).body as Open;
    expect(listed.sessions.map(({ session_id: one }) => one)).not.toContain(id);
    const ended = (await operator.delete(path).expect(200)).body as { readonly ended: number };
    expect(ended.ended).toBe(listed.sessions.length);
    await as(mine?.access_token ?? '')
      .get('auth/sessions')
      .expect(401);
    expect(await quipu('user', 'sessions', '--user', 'ada')).toMatchObject({ sessions: [] });
    expect(await quipu('user', 'end-sessions', '--user', 'ada')).toMatchObject({ ended: 0 });
  });

  it('lose a second factor and close their account by an operator', async () => {
    const operator = as(world.credentials.api_key);
    const path = `users/${ada.user_id}`;
    const reset = await operator.post(`${path}/reset_second_factor`).expect(200);
    expect(reset.body).toMatchObject({ changed: false });
    const words = ['user', 'reset-second-factor', '--user', 'ada'];
    expect(await quipu(...words)).toMatchObject({ changed: false });
    const closed = await operator.delete(path).expect(200);
    expect(closed.body).toMatchObject({
      keys_revoked: expect.any(Number),
      kept: expect.arrayContaining(['ledger']),
    });
    await as(ada.api_key).get('budgets').expect(401);
    await logIn('a fourth password').expect(401);
    const { users } = (await operator.get('users').expect(200)).body as { users: object[] };
    expect(users).toContainEqual(
      expect.objectContaining({ user_id: ada.user_id, status: 'erased', username: null }),
    );
    await operator.delete('users/999').expect(404);
  });
});
