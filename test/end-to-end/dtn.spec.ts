import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine } from './command-line.fixture.js';
import { eventually, scriptedCatalog, startWorld, type World } from './quipu.harness.js';

const DTN = '/api/v1/dtn';
const MS_PER_HOUR = 3_600_000;

type Body = Readonly<Record<string, unknown>>;

const inHours = (hours: number): string => new Date(Date.now() + hours * MS_PER_HOUR).toISOString();

describe('bundles', () => {
  let world: World;
  const cli = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([], {
      environment: { QUIPU_DTN_BUNDLES: '6' },
      catalogOf: (baseUrl) => `${scriptedCatalog(baseUrl)}
meters:
  - { meter: custody_bundles, usd: 0.01, per: 1000 }
  - { meter: custody_byte_hours, usd: 0.10, per: 1000000000000 }
`,
    });
  });

  afterAll(() => world.close());

  const bearer = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const ask = async (
    method: 'get' | 'post' | 'delete',
    route: string,
    sent: object = {},
    status = 200,
  ): Promise<Body> => {
    const asking = request(world.quipu.url)[method](`${DTN}/${route}`).set(bearer());
    const { body } = await (method === 'get' ? asking.query(sent) : asking.send(sent)).expect(
      status,
    );
    return body as Body;
  };
  const handOver = (more: object = {}, status = 200) => {
    const order = { source_eid: 'dtn://quipu/out', destination_eid: 'dtn://moon/in' };
    return ask('post', 'bundle.php', { ...order, payload_hex: '68656c6c6f', ...more }, status);
  };
  const contact = (from: string, to: string, more: object = {}) => {
    const times = { starts_at: inHours(1), ends_at: inHours(2) };
    return ask('post', 'contacts', { from, to, ...times, bits_per_second: 8_000, ...more });
  };
  const find = async (id: unknown) => (await ask('get', `bundles/${String(id)}`))['bundle'] as Body;

  it('are kept without a route, and get one with a contact', async () => {
    const answer = await handOver();
    expect(answer).toMatchObject({
      success: true,
      bundle_id: expect.any(String),
      custody_accepted: true,
      next_hop: null,
      est_ground_window_utc: null,
      status: 'stored_no_route',
      custody_model: 'gateway-store',
      priority: 'normal',
      payload_encoding: 'hex',
      payload_bytes: 5,
      route: [],
    });
    const { id } = await contact('dtn://quipu/', 'dtn://moon/', { light_ms: 1_280 });
    await eventually(async () => (await find(answer['bundle_id']))['status'] === 'en_route');
    expect(await find(answer['bundle_id'])).toMatchObject({
      next_hop: 'dtn://moon/',
      route: [{ contact: `contact-${String(id)}`, kind: 'manual' }],
      history: [{ event: 'accepted' }, { event: 'rerouted' }],
    });
    const { bundle } = await ask('delete', `bundles/${String(answer['bundle_id'])}`);
    expect(bundle).toMatchObject({ status: 'cancelled', next_hop: null });
    await ask('delete', `bundles/${String(answer['bundle_id'])}`, {}, 409);
    await ask('delete', `contacts/${String(id)}`);
  });

  it('travel over the passes of a satellite', async () => {
    const link = {
      ...{ station_id: 1, satellite_id: 25_338, bits_per_second: 1_000_000 },
      ...{ station_node: 'dtn://greenwich/', satellite_node: 'dtn://noaa-15/' },
    };
    const { id } = await ask('post', 'links', link);
    await ask('post', 'links', link, 409);
    expect(await ask('post', 'links', { ...link, satellite_id: 1 }, 404)).toMatchObject({
      code: 'satellite_not_found',
    });
    const answer = await handOver({ destination_eid: 'dtn://noaa-15/in', priority: 'expedited' });
    expect(answer).toMatchObject({
      status: 'en_route',
      next_hop: 'dtn://greenwich/',
      route: [
        { kind: 'ground', from: 'dtn://quipu/' },
        { kind: 'pass', from: 'dtn://greenwich/', to: 'dtn://noaa-15/' },
      ],
    });
    const [, up] = answer['route'] as Body[];
    expect(answer['est_ground_window_utc']).toBe(up?.['sends_at']);
    const { body: passes } = await request(world.quipu.url)
      .get('/api/v1/space/passes.php')
      .query({ station_id: 1, satellite_id: 25_338 })
      .set(bearer());
    const [first] = (passes as { passes: { aos: { at: string } | null }[] }).passes;
    const aosMs = Date.parse(first?.aos?.at ?? String(answer['accepted_at']));
    expect(Math.abs(Date.parse(String(up?.['sends_at'])) - aosMs)).toBeLessThan(10);

    const explained = await ask('post', 'routes', {
      destination_eid: 'dtn://noaa-15/in',
      alternatives: 3,
    });
    expect(explained).toMatchObject({ source_node: 'dtn://quipu/', gaps: [] });
    const routes = explained['routes'] as Body[];
    expect(routes).toHaveLength(3);
    const arrivals = routes.map((route) => String(route['arrives_at']));
    expect(arrivals).toEqual(arrivals.toSorted());
    const plan = await ask('get', 'plan');
    expect(plan).toMatchObject({ links: [{ link_id: id, satellite_id: 25_338 }] });
    expect(plan['total_contacts']).toBeGreaterThan(40);
    await ask('delete', `links/${String(id)}`);
    const status = async () => (await find(answer['bundle_id']))['status'];
    await eventually(async () => (await status()) === 'stored_no_route');
  });

  it('are stored as they travel', async () => {
    const { bundle_id: id } = await handOver({ payload_hex: 'aGVsbG8h' });
    expect(await find(id)).toMatchObject({ payload_encoding: 'base64', payload_bytes: 6 });
    const { body, headers } = await request(world.quipu.url)
      .get(`${DTN}/bundles/${String(id)}/content`)
      .set(bearer())
      .buffer(true)
      .parse((response, done) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => done(null, Buffer.concat(parts)));
      });
    const bytes = body as Buffer;
    expect(headers['content-type']).toBe('application/cbor');
    expect(bytes.subarray(0, 3).toString('hex')).toBe('9f8907');
    expect(bytes.includes('//moon/in')).toBe(true);
    expect(bytes.includes('hello!')).toBe(true);
    await ask('delete', `bundles/${String(id)}`);
    await ask('get', `bundles/${String(id)}/content`, {}, 409);
  });

  it('book the volume of their contacts by priority', async () => {
    // 8,000 bits/s for an hour are 3.6 MB; two bundles of 250 kB fit into 10 minutes (600 kB).
    const times = { starts_at: inHours(1), ends_at: inHours(1 + 1 / 6) };
    await contact('dtn://quipu/', 'dtn://moon/', times);
    const payload_hex = '00'.repeat(250_000);
    const statuses: unknown[] = [];
    for (const priority of ['normal', 'normal', 'normal', 'expedited']) {
      statuses.push((await handOver({ payload_hex, priority }))['status']);
    }
    expect(statuses).toEqual(['en_route', 'en_route', 'stored_no_route', 'en_route']);
  });

  it('are not accepted into a full store, or without a lifetime', async () => {
    expect(await handOver({ lifetime_seconds: 0 })).toMatchObject({
      custody_accepted: false,
      rejection_reason: 'lifetime_passed',
      status: 'rejected',
      bundle_bytes: null,
    });
    expect(await handOver()).toMatchObject({ custody_accepted: true });
    const full = await handOver();
    expect(full).toMatchObject({ custody_accepted: false, rejection_reason: 'store_full' });
    const listed = await ask('get', 'bundles', { limit: 1 });
    expect(listed['bundles']).toMatchObject([{ bundle_id: full['bundle_id'] }]);
    const { username } = world.credentials;
    expect(await cli.result('dtn', 'bundles', '--user', username)).toMatchObject({
      bundles: expect.arrayContaining([
        expect.objectContaining({ bundle_id: full['bundle_id'], status: 'rejected' }),
      ]),
    });
    expect(await cli.result('dtn', 'plan')).toMatchObject({
      links: [],
      contacts: [{ to: 'dtn://moon/' }],
    });
  });

  it('end with their lifetime, and are followed until then', async () => {
    const { bundles } = (await ask('get', 'bundles', { limit: 100 })) as {
      bundles: { bundle_id: string; status: string }[];
    };
    for (const { bundle_id: id, status } of bundles) {
      if (['en_route', 'stored_no_route'].includes(status)) await ask('delete', `bundles/${id}`);
    }
    const { bundle_id: id } = await handOver({ lifetime_seconds: 1 });
    const { text } = await request(world.quipu.url)
      .get(`${DTN}/bundles/${String(id)}/events`)
      .set(bearer())
      .expect(200);
    const names = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
    expect(names[0]).toBe('accepted');
    expect(names.at(-1)).toBe('expired');
    expect(await find(id)).toMatchObject({ status: 'expired', custody_accepted: true });
  });

  it.each([
    [{ source_eid: 'ipn:1.2' }, 400, 'dtn_eid_invalid'],
    [{ destination_eid: 'moon' }, 400, 'dtn_eid_invalid'],
    [{ destination_eid: 'dtn://quipu/in' }, 422, 'dtn_destination_local'],
    [{ payload_hex: 'abc!' }, 400, 'dtn_payload_invalid'],
    [{ priority: 'urgent' }, 400, 'invalid_request'],
    [{ lifetime_seconds: -1 }, 400, 'invalid_request'],
  ])('are rejected by name: %j', async (order, status, code) => {
    expect(await handOver(order, status)).toMatchObject({ success: false, code });
  });

  it('are charged for the hours that have begun, and need an account with money', async () => {
    const { bundle_id: id } = await handOver();
    await ask('delete', `bundles/${String(id)}`);
    const chargeOf = async () =>
      (await world.events()).find(
        ({ type, data }) =>
          type === 'HoldCaptured' && ((data as Body)['evidence'] as Body)['bundleId'] === id,
      );
    await eventually(async () => (await chargeOf()) !== undefined);
    expect((await chargeOf())?.data).toMatchObject({
      purpose: 'bundle_custody',
      lines: [{ quantity: 1 }, { meter: 'custody_byte_hours' }],
      evidence: { end: 'cancelled', hours: 1 },
    });
    const poor = await cli.createUser('poor', 'renter');
    const { body } = await request(world.quipu.url)
      .post(`${DTN}/bundle.php`)
      .set('authorization', `Bearer ${poor.api_key}`)
      .send({ source_eid: 'dtn://quipu/out', destination_eid: 'dtn://m/i', payload_hex: '00' })
      .expect(402);
    expect(body).toMatchObject({ success: false, code: 'insufficient_balance' });
  });

  it('of others are not found', async () => {
    await ask('get', 'bundles/7d1f0c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c', {}, 404);
    await ask('get', 'bundles/none', {}, 404);
  });
});
