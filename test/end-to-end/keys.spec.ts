import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandLine } from './command-line.fixture.js';
import { answering, chatRequest, MODEL, startWorld, type World } from './quipu.harness.js';

interface Issued {
  readonly api_key: string;
  readonly key: { readonly id: string };
}

describe('the keys of a user', () => {
  let world: World;
  const line = new CommandLine(() => world);

  beforeAll(async () => {
    // Addresses of callers are chosen here.
    world = await startWorld([answering('Knots')], { environment: { QUIPU_TRUST_PROXY: '1' } });
  });

  afterAll(() => world.close());

  const send = async (
    method: string,
    path: string,
    key = world.credentials.api_key,
    body?: object,
    address = '192.0.2.7',
  ) => {
    const response = await fetch(`${world.quipu.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-forwarded-for': address,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as object };
  };

  const KEYS = '/api/v1/auth/keys';

  const issue = async (order: object): Promise<Issued> => {
    const { body } = await send('POST', KEYS, undefined, { name: 'one', ...order });
    return body as Issued;
  };

  const chat = (key: string, address?: string) =>
    send('POST', '/v1/chat/completions', key, chatRequest(), address);

  it('reach the routes and are used from the addresses of their policy only', async () => {
    const { api_key: key } = await issue({
      routes: ['/v1/chat/*'],
      ip_ranges: ['192.0.2.0/24', '2001:db8::/32'],
    });
    expect((await chat(key)).status).toBe(200);
    expect((await chat(key, '2001:db8::1')).status).toBe(200);
    expect(await chat(key, '198.51.100.1')).toMatchObject({
      status: 403,
      body: { error: { code: 'address_not_allowed', metadata: { address: '198.51.100.1' } } },
    });
    expect(await send('GET', '/v1/models', key)).toMatchObject({
      status: 403,
      body: { error: { code: 'route_not_allowed', metadata: { route: '/v1/models' } } },
    });
    const { api_key: none } = await issue({ routes: [] });
    expect((await chat(none)).status).toBe(403);
  });

  it('are listed with their last use and their charges', async () => {
    const { api_key: key, key: view } = await issue({});
    const before = new Date().toISOString();
    await chat(key);
    const listedKey = async () => {
      const { keys } = (await send('GET', KEYS)).body as {
        readonly keys: readonly {
          readonly id: string;
          readonly last_used_at: string | null;
          readonly charged_usd: number;
        }[];
      };
      return keys.find(({ id }) => id === view.id);
    };
    const used = await listedKey();
    expect(used?.charged_usd).toBeGreaterThan(0);
    expect(String(used?.last_used_at) >= before).toBe(true);
    const { key: unused } = await issue({});
    const { keys } = (await send('GET', KEYS)).body as { keys: object[] };
    const never = { id: unused.id, last_used_at: null, charged_usd: 0 };
    expect(keys).toContainEqual(expect.objectContaining(never));
  });

  it('ask the models of their policy only, and submit no work that names others', async () => {
    const { api_key: key } = await issue({ models: [MODEL] });
    expect((await chat(key)).status).toBe(200);
    const listed = await send('GET', '/v1/models', key);
    expect(listed.body).toMatchObject({ data: [{ id: MODEL }] });
    const { api_key: other } = await issue({ models: ['acme/other*'] });
    const refused = { status: 403, body: { error: { code: 'model_not_allowed', param: 'model' } } };
    expect(await chat(other)).toMatchObject(refused);
    const response = { model: MODEL, input: 'Tell me of knots.' };
    expect(await send('POST', '/v1/responses', other, response)).toMatchObject(refused);
    const background = { ...response, background: true };
    expect(await send('POST', '/v1/responses', other, background)).toMatchObject(refused);
    expect((await send('GET', '/v1/models', other)).body).toMatchObject({ data: [] });
    expect((await send('POST', '/api/v1/estimate', other, chatRequest())).body).toMatchObject({
      rejections: [{ code: 'model_not_allowed' }],
    });
  });

  it('are refused by name where a policy is malformed or wider than its issuer', async () => {
    const { api_key: manager } = await issue({ scopes: ['inference', 'manage_keys'] });
    const wider = { name: 'wider', scopes: ['manage_money'] };
    expect(await send('POST', KEYS, manager, wider)).toMatchObject({
      status: 403,
      body: { code: 'policy_too_wide', metadata: { field: 'scopes' } },
    });
    for (const [field, value] of [
      ['scopes', ['everything']],
      ['models', ['a*b']],
      ['routes', ['']],
      ['ip_ranges', ['192.0.2.0']],
      ['ip_ranges', ['192.0.2.0/33']],
      ['expires_at', 'tomorrow'],
      ['expires_at', '2020-01-01T00:00:00Z'],
    ] as const) {
      const refused = await send('POST', KEYS, undefined, { name: 'bad', [field]: value });
      expect(refused).toMatchObject({ status: 400, body: { param: field } });
    }
  });

  it('are restricted and rotated with an overlap over HTTP', async () => {
    const { api_key: key, key: view } = await issue({ scopes: ['inference', 'read_billing'] });
    const overview = '/api/v1/billing/overview.php';
    expect((await send('GET', overview, key)).status).toBe(200);
    const restricted = { scopes: ['inference'] };
    expect(await send('POST', `${KEYS}/${view.id}/restrict`, undefined, restricted)).toMatchObject({
      status: 200,
    });
    expect(await send('GET', overview, key)).toMatchObject({
      status: 403,
      body: { code: 'scope_missing' },
    });
    const rotation = { overlap_seconds: 60 };
    const rotated = await send('POST', `${KEYS}/${view.id}/rotate`, undefined, rotation);
    const { api_key: fresh } = rotated.body as Issued;
    expect((await chat(key)).status).toBe(200);
    expect((await chat(fresh)).status).toBe(200);
    expect((await send('GET', overview, fresh)).status).toBe(403);
  });

  it('are issued, listed, restricted, rotated and revoked at the command line', async () => {
    const named = ['--user', 'demo'];
    const order = ['--name', 'night', '--scopes', 'inference,read_billing', '--models', MODEL];
    const issued = (await line.result('key', 'issue', ...named, ...order)) as Issued;
    const { id } = issued.key;
    expect((await chat(issued.api_key)).status).toBe(200);
    const one = ['--key', id];
    await line.result('key', 'restrict', ...named, ...one, '--scopes', 'inference', '--models', '');
    const wider = await line.run('key', 'restrict', ...named, ...one, '--models', MODEL);
    expect(wider).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('models: ') });
    expect(await line.result('key', 'list', ...named)).toMatchObject({
      keys: expect.arrayContaining([
        expect.objectContaining({ id, name: 'night', scopes: ['inference'], models: [] }),
        expect.objectContaining({ name: 'bootstrap' }),
      ]),
    });
    const rotation = await line.result('key', 'rotate', ...named, ...one, '--overlap', '60');
    const { api_key: fresh, key_id: next } = rotation as { api_key: string; key_id: string };
    expect((await send('GET', '/v1/models', issued.api_key)).status).toBe(200);
    expect((await send('GET', '/v1/models', fresh)).status).toBe(200);
    await line.result('key', 'revoke', ...named, '--key', next, '--yes');
    expect((await send('GET', '/v1/models', fresh)).status).toBe(401);
  });
});
