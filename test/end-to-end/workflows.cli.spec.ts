import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine } from './command-line.fixture.js';
import { answering, eventually, MODEL, startWorld, type World } from './quipu.harness.js';

const WORKFLOWS = '/api/v1/workflows';

interface Run {
  readonly run_id: string;
  readonly node_results: Readonly<Record<string, { readonly status: string }>>;
  readonly amount_micro_usd: string | null;
}

const chat = (name: string, more: object = {}) => ({
  name,
  kind: 'chat',
  parameters: { model: MODEL, prompt: 'Of knots.', max_tokens: 9 },
  ...more,
});

describe('workflows on the command line', () => {
  let world: World;
  const line = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([answering('Cords.')]);
  });

  afterAll(() => world.close());

  const authorization = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const post = (way: string, body: object) =>
    request(world.quipu.url).post(`${WORKFLOWS}${way}`).set(authorization()).send(body);
  const get = (way: string) =>
    request(world.quipu.url).get(`${WORKFLOWS}${way}`).set(authorization());

  it('are created, versioned, listed and shown on the command line', async () => {
    const file = path.join(world.home, 'definition.json');
    const write = (nodes: readonly object[]) => writeFile(file, JSON.stringify({ nodes }));
    const words = ['--user', 'demo', '--file', file];
    await write([chat('a')]);
    const created = (await line.result('workflows', 'create', '--name', 'by-hand', ...words)) as {
      readonly workflow_id: number;
    };
    expect(created).toMatchObject({ success: true, name: 'by-hand', version: 1 });
    const id = String(created.workflow_id);
    await write([chat('b'), chat('c', { after: ['b'] })]);
    expect(await line.result('workflows', 'version', id, ...words)).toMatchObject({ version: 2 });
    const listed = await line.result('workflows', 'list', '--user', 'demo');
    expect(listed).toMatchObject({
      workflows: expect.arrayContaining([expect.objectContaining({ name: 'by-hand', version: 2 })]),
    });
    const first = await line.result('workflows', 'show', id, '--user', 'demo', '--at', '1');
    expect(first).toMatchObject({ version: 1, definition: { nodes: [{ name: 'a' }] } });
    await write([chat('a', { kind: 'paint' })]);
    const refused = await line.run('workflows', 'version', id, ...words);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('nodes[0].kind: there is no kind paint');
    const absent = await line.run('workflows', 'show', '99', '--user', 'demo');
    expect(absent.stderr).toContain('workflow_not_found');
    await writeFile(file, '{');
    const unread = await line.run('workflows', 'version', id, ...words);
    expect([unread.exitCode, unread.stderr.includes('--file')]).toEqual([2, true]);
  });

  it('have runs that the command line cancels while no gateway runs', async () => {
    const pause = { name: 'pause', kind: 'wait', parameters: { seconds: 3_600 } };
    const definition = { nodes: [chat('a'), pause] };
    const created = await post('', { name: 'stuck', definition }).expect(201);
    const { workflow_id } = created.body as { readonly workflow_id: number };
    const body = { workflow_id, inputs: {}, async: true };
    const { run_id: runId } = (await post('/run', body).expect(202)).body as Run;
    await eventually(async () => {
      const { node_results: nodes } = (await get(`/runs/${runId}`)).body as Run;
      return nodes['a']?.status === 'succeeded';
    });
    await world.quipu.stop();
    const listed = await line.result('workflows', 'runs', '--user', 'demo', '--limit', '1');
    expect(listed).toMatchObject({ runs: [{ run_id: runId, status: 'running' }] });
    const cancelled = await line.result('workflows', 'cancel', runId);
    expect(cancelled).toMatchObject({
      run_id: runId,
      status: 'cancelled',
      ended_at: expect.any(String),
    });
    world = await world.restart();
    await eventually(async () => {
      const { amount_micro_usd: amount } = (await get(`/runs/${runId}`)).body as Run;
      return amount !== null && Number(amount) > 0;
    });
    expect((await get(`/runs/${runId}`)).body).toMatchObject({ status: 'cancelled' });
  });
});
