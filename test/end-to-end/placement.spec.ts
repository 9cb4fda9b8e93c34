import { totalmem } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine } from './command-line.fixture.js';
import { eventually, startWorld, type World } from './quipu.harness.js';

const ORCHESTRATE = '/api/v1/pipeline/orchestrate';
const PLACEMENTS = '/api/v1/pipeline/placements';
const MEBIBYTE = 1_048_576;

type Body = Readonly<Record<string, unknown>>;

/** This machine is the only rig. */
describe('pipelines that are placed', () => {
  let world: World;
  const cli = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([]);
  });

  afterAll(() => world.close());

  const http = () => request(world.quipu.url);
  const bearer = (key = world.credentials.api_key) => ({ authorization: `Bearer ${key}` });
  const orchestrate = async (body: object, status = 200): Promise<Body> =>
    (await http().post(ORCHESTRATE).set(bearer()).send(body).expect(status)).body as Body;
  const order = { pp_degree: 2, tp_degree: 2, memory_bytes: 4 * MEBIBYTE };

  it('are answered with the fields of the interface, and where each part is', async () => {
    const body = await orchestrate({ ...order, model: 'acme/large' });
    expect(body).toMatchObject({
      status: 'orchestrated',
      job_id: expect.any(Number),
      pp_degree: 2,
      tp_degree: 2,
      stages_allocated: 4,
      cross_node_bandwidth_gbps: null,
      links: [],
    });
    const of = { rig: 'local', device: null, memory_bytes: MEBIBYTE };
    expect(body['shards']).toEqual([
      { stage: 0, rank: 0, ...of },
      { stage: 0, rank: 1, ...of },
      { stage: 1, rank: 0, ...of },
      { stage: 1, rank: 1, ...of },
    ]);
    const path = `${PLACEMENTS}/${String(body['job_id'])}`;
    const { body: shown } = await http().get(path).set(bearer()).expect(200);
    expect(shown).toMatchObject({
      placement: { status: 'placed', model: 'acme/large', memory_bytes: 4 * MEBIBYTE },
    });
  });

  it('reserve memory until they are released', async () => {
    const most = { pp_degree: 1, memory_bytes: Math.floor(0.6 * totalmemOfRig()) };
    const { job_id: id } = await orchestrate(most);
    const refused = await orchestrate(most, 409);
    expect(refused).toMatchObject({
      code: 'placement_infeasible',
      metadata: {
        stages_required: 1,
        stages_placeable: 0,
        missing_memory_bytes: most.memory_bytes,
        missing_rigs: 1,
        rigs_registered: 1,
        rigs_usable: 0,
      },
    });
    await http()
      .delete(`${PLACEMENTS}/${String(id)}`)
      .set(bearer())
      .expect(200);
    const { job_id: next } = await orchestrate(most);
    await cli.result('placement', 'release', String(next));
    const listed = await cli.result('placement', 'list', '--user', world.credentials.username);
    expect(listed).toMatchObject({
      placements: expect.arrayContaining([
        expect.objectContaining({ job_id: next, status: 'released', rigs: ['local'] }),
      ]),
    });
    await http()
      .delete(`${PLACEMENTS}/${String(next)}`)
      .set(bearer())
      .expect(404);
  });

  const totalmemOfRig = (): number => {
    const constrained = process.constrainedMemory();
    return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  };

  it('end after their time, which the log records', async () => {
    const { job_id: id } = await orchestrate({ ...order, reservation_sec: 1 });
    await eventually(async () =>
      (await world.events()).some(
        ({ type, data }) => type === 'PlacementExpired' && (data as Body)['placementId'] === id,
      ),
    );
    const { body } = await http()
      .get(`${PLACEMENTS}/${String(id)}`)
      .set(bearer())
      .expect(200);
    expect(body).toMatchObject({ placement: { status: 'expired' } });
  });

  it('are listed, newest first, for their account alone', async () => {
    const { job_id: id } = await orchestrate(order);
    const { body } = await http().get(`${PLACEMENTS}?limit=1`).set(bearer()).expect(200);
    expect(body).toMatchObject({ limit: 1, placements: [{ job_id: id }] });
    const { api_key: other } = await cli.createUser('placement-other', 'renter');
    const { body: none } = await http().get(PLACEMENTS).set(bearer(other)).expect(200);
    expect(none).toMatchObject({ placements: [], total_records: 0 });
    const path = `${PLACEMENTS}/${String(id)}`;
    await http().get(path).set(bearer(other)).expect(404);
    await http().delete(path).set(bearer(other)).expect(404);
    await http().delete(path).set(bearer()).expect(200);
  });

  it('answer a repeated request with the same placement', async () => {
    const key = { 'idempotency-key': 'placement-once' };
    const send = () =>
      http()
        .post(ORCHESTRATE)
        .set({ ...bearer(), ...key })
        .send(order);
    const [{ body: first }, { body: second }] = [await send(), await send()];
    expect(second).toEqual(first);
  });

  it.each([
    ['pp_degree', { memory_bytes: 1 }],
    ['pp_degree', { ...order, pp_degree: 65 }],
    ['tp_degree', { ...order, tp_degree: 0 }],
    ['tp_degree', { ...order, pp_degree: 64, tp_degree: 9 }],
    ['memory_bytes', { pp_degree: 1 }],
    ['memory_bytes', { pp_degree: 1, memory_bytes: 0.5 }],
    ['reservation_sec', { ...order, reservation_sec: 86_401 }],
    ['model', { ...order, model: '' }],
  ])('are rejected by the name of the field: %s', async (param, body) => {
    expect(JSON.stringify(await orchestrate(body, 400))).toContain(param);
  });
});
