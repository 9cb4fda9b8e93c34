import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { json } from '#areas/inference/rigs/upstream.fake.js';
import { CommandLine } from '../end-to-end/command-line.fixture.js';
import { eventually, startWorld, type World } from '../end-to-end/quipu.harness.js';

const NANO = path.resolve(import.meta.dirname, '../../models/nano.gguf');

const catalogOf = (): string => `
rigs:
  - { name: built-in, kind: embedded }
models:
  - { id: quipu/nano, upstream_id: nano, owned_by: quipu, rigs: [built-in], context: 1024,
      max_output: 64, file: ${NANO}, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

interface Rig {
  readonly id: string;
  readonly source: string;
  readonly state: string;
  readonly certification: { readonly id: string } | null;
}

describe('the rig of a worker in a fleet', () => {
  let world: World;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([json(500, {})], {
      catalogOf,
      environment: { QUIPU_RIG_NAME: 'press', QUIPU_REGION: 'uk' },
    });
  });

  afterAll(() => world.close());

  const http = () => request(world.quipu.url);
  const authorization = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const found = async (): Promise<Rig | undefined> => {
    const { body } = await http().get('/api/v1/rigs').set(authorization()).expect(200);
    return (body as { readonly rigs: readonly Rig[] }).rigs.find(({ id }) => id === 'press');
  };
  const chat = () =>
    http()
      .post('/v1/chat/completions')
      .set(authorization())
      .send({
        model: 'quipu/nano',
        messages: [{ role: 'user', content: 'Hi' }],
        max_tokens: 8,
        routing_mode: 'rig_press',
      });

  it('is certified by measured answers', async () => {
    await eventually(async () => (await found())?.state === 'up');
    const certify = () => http().post('/api/v1/rigs/press/certifications').set(authorization());
    const { body } = await certify().expect(202);
    const { job_id } = body as { readonly job_id: string };
    await eventually(async () => (await found())?.certification?.id === job_id);
    expect(await found()).toMatchObject({
      status: 'valid',
      badge: expect.stringMatching(/^(gold|silver|bronze|none)$/),
      certification: {
        models: [{ id: 'quipu/nano', is_listed: true }],
        measurements: {
          first_token_ms: expect.any(Number),
          tokens_per_second: expect.any(Number),
          concurrent_streams: 8,
          is_answer_consistent: true,
        },
        problems: [],
      },
    });
    const certified = (await world.events()).find(({ type }) => type === 'RigCertified');
    expect(certified?.data).toMatchObject({
      rig: 'press',
      kind: 'worker',
      description: { region: 'uk' },
    });
    await http().post('/api/v1/rigs/none/certifications').set(authorization()).expect(404);
    expect(await quipu.result('rigs', 'list')).toMatchObject({
      rigs: [
        { name: 'built-in', status: 'never_certified' },
        { name: 'press', status: 'valid', certification: { id: job_id } },
      ],
    });
  });

  it('registers, answers what is pinned to it, and takes nothing once drained', async () => {
    await eventually(async () => (await found())?.state === 'up');
    const models = expect.arrayContaining(['nano']);
    expect(await found()).toMatchObject({ source: 'worker', region: 'uk', models });
    const answered = await chat();
    expect([answered.status, answered.headers['x-quipu-rig']]).toEqual([200, 'press']);
    const { body } = await http().get('/api/v1/rigs/press').set(authorization()).expect(200);
    expect(body).toMatchObject({
      rig: {
        history: [{ event: 'certified' }, { event: 'registered' }],
        telemetry: { memory_used_bytes: expect.any(Number) },
      },
    });
    await http().post('/api/v1/rigs/press/drain').set(authorization()).expect(202);
    await eventually(async () => (await found())?.state === 'drained');
    const refused = await chat();
    expect([refused.status, refused.body]).toMatchObject([503, { error: { code: 'rig_drained' } }]);
    const certifying = await http().post('/api/v1/rigs/press/certifications').set(authorization());
    expect([certifying.status, certifying.body]).toMatchObject([409, { code: 'rig_not_up' }]);
    const rejectedHere = await quipu.run('rigs', 'certify', 'press');
    expect(rejectedHere).toMatchObject({ exitCode: 1 });
    expect(rejectedHere.stderr).toContain('rig press is drained');
    const types = (await world.events()).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('WorkerRig'))).toEqual([
      'WorkerRigRegistered',
      'WorkerRigDrainRequested',
      'WorkerRigDrained',
    ]);
  });
});
