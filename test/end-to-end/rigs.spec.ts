import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { json } from '#areas/inference/rigs/upstream.fake.js';
import { runCommand } from './command-line.fixture.js';
import { eventually, startWorld, type World } from './quipu.harness.js';

const NANO = path.resolve(import.meta.dirname, '../../models/nano.gguf');
const RIGS = '/api/v1/rigs';

/** The built-in model, and a server that fails. */
const catalogOf = (baseUrl: string): string => `
rigs:
  - { name: built-in, kind: embedded }
  - { name: broken, kind: openai, base_url: ${baseUrl} }
models:
  - { id: quipu/nano, upstream_id: nano, owned_by: quipu, rigs: [built-in], context: 1024,
      max_output: 64, file: ${NANO}, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  - { id: acme/broken, upstream_id: broken, owned_by: acme, rigs: [broken], context: 1024,
      max_output: 64, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

interface Rig {
  readonly name: string;
  readonly badge: string | null;
  readonly certification: Readonly<Record<string, unknown>> | null;
}

describe('the rigs of the catalog', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld([json(500, {})], { catalogOf });
  });

  afterAll(() => world.close());

  const http = () => request(world.quipu.url);
  const authorization = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const listed = async (): Promise<readonly Rig[]> => {
    const { body } = await http().get(RIGS).set(authorization()).expect(200);
    return (body as { readonly rigs: readonly Rig[] }).rigs;
  };
  const rigNamed = async (name: string) => (await listed()).find((rig) => rig.name === name);

  const quipu = (...words: readonly string[]) => runCommand(world.environment, words);

  it('are listed without a badge before they are certified', async () => {
    const none = {
      source: 'catalog',
      region: null,
      state: 'up',
      brand: null,
      device: null,
      memory_bytes: null,
      in_flight: 0,
      tasks_per_second: null,
      first_token_ms: {},
      badge: null,
      status: 'never_certified',
      certification: null,
      rig_id: expect.any(Number),
    };
    const names = (name: string) => ({ id: name, name });
    expect(await listed()).toEqual([
      {
        ...names('built-in'),
        kind: 'embedded',
        models: ['quipu/nano'],
        max_concurrency: 4,
        ...none,
      },
      { ...names('broken'), kind: 'openai', models: ['acme/broken'], max_concurrency: 64, ...none },
    ]);
  });

  it('are certified by a command that waits', async () => {
    const { exitCode, stdout, stderr } = await quipu('rigs', 'certify', 'built-in', '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { certification } = JSON.parse(stdout) as Required<Rig>;
    expect(certification).toMatchObject({
      badge: expect.stringMatching(/^(gold|silver|bronze|none)$/),
      measured_model: 'quipu/nano',
      models: [{ id: 'quipu/nano', is_listed: true }],
      measurements: {
        first_token_ms: expect.any(Number),
        first_token_samples: 5,
        tokens_per_second: expect.any(Number),
        concurrent_streams: 3,
        tokens_per_second_concurrent: expect.any(Number),
        is_answer_consistent: true,
      },
      problems: [],
    });
    expect(await rigNamed('built-in')).toMatchObject({
      badge: certification?.['badge'],
      status: 'valid',
      certification,
    });
    const shown = await quipu('rigs', 'list');
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^built-in +embedded +- +- +1 +\w+ +valid/m);
    const { body } = await http().get(`${RIGS}/built-in`).set(authorization()).expect(200);
    expect(body).toMatchObject({
      rig: { certification, history: [{ event: 'certified' }], telemetry: null },
    });
  });

  it('are certified for an Admin, free of charge; a broken one gets no badge', async () => {
    const certify = () => http().post(`${RIGS}/broken/certifications`).set(authorization());
    const { body } = await certify().expect(202);
    expect(body).toEqual({ success: true, rig: 'broken', job_id: expect.any(String) });
    await eventually(async () => (await rigNamed('broken'))?.certification !== null);
    expect(await rigNamed('broken')).toMatchObject({
      badge: 'none',
      certification: {
        id: (body as { readonly job_id: string }).job_id,
        models: [{ id: 'acme/broken', is_listed: null }],
        measurements: { first_token_ms: null, is_answer_consistent: null },
      },
    });
    const settled = (await world.events()).filter(({ type }) => type === 'JobSettled');
    expect(settled.map(({ data }) => data)).toEqual(
      settled.map(() => expect.objectContaining({ outcome: 'free', amountMicroUsd: '0' })),
    );
  });

  it('are certified for no one else', async () => {
    await http()
      .post(`${RIGS}/built-in/certifications`)
      .set({ authorization: `Bearer ${world.credentials.renter_key}` })
      .expect(403);
    await http().post(`${RIGS}/built-in/certifications`).expect(401);
  });

  it('are named by the error when the catalog does not have them', async () => {
    const { body } = await http()
      .post(`${RIGS}/gone/certifications`)
      .set(authorization())
      .expect(404);
    expect(body).toMatchObject({ success: false, code: 'rig_not_found', param: 'name' });
    const { exitCode, stderr } = await quipu('rigs', 'certify', 'gone', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'rig_not_found' });
  });

  it('are drained if they are a worker’s, and by an Admin only', async () => {
    const drain = (rig: string, key: string) =>
      http()
        .post(`${RIGS}/${rig}/drain`)
        .set({ authorization: `Bearer ${key}` });
    const { api_key: admin, renter_key: renter } = world.credentials;
    await drain('built-in', renter).expect(403);
    const { body } = await drain('built-in', admin).expect(404);
    const unknown = { code: 'worker_rig_not_found', param: 'id' };
    expect(body).toMatchObject({ success: false, ...unknown });
    await drain('no%20rig', admin).expect(404);
    const missing = await http().get(`${RIGS}/gone`).set(authorization()).expect(404);
    expect(missing.body).toMatchObject(unknown);
    await http().get(`${RIGS}/%00`).set(authorization()).expect(404);
    const { exitCode, stderr } = await quipu('rigs', 'drain', 'built-in', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'worker_rig_not_found' });
  });

  it('are not certified without a server, and the command says so', async () => {
    await world.quipu.stop();
    const words = ['rigs', 'certify', 'built-in', '--wait', '1', '--json'];
    const { exitCode, stdout, stderr } = await quipu(...words);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'not_certified',
      message: expect.stringContaining('--wait'),
    });
  });
});
