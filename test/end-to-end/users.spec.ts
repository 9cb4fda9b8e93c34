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

describe('the users of an installation', () => {
  let world: World;
  let ada: Created;

  beforeAll(async () => {
    world = await startWorld([answering('Knots')]);
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
    put: (path: string) =>
      request(world.quipu.url).put(`/api/v1/${path}`).set('Authorization', `Bearer ${credential}`),
  });

  const logIn = (password: string, more: object = {}) =>
    request(world.quipu.url)
      .post('/api/v1/auth/login')
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
});
