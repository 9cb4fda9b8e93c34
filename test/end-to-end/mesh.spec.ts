import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { isLinearizable } from '../property/linearizable.js';
import {
  type MeshOperation,
  meshTaskModel,
  randomOf,
  recording,
  runAgent,
} from '../property/mesh.history.fixture.js';
import { meshOutputOf, meshRequestOf } from '../property/mesh.routes.fixture.js';
import { CommandLine } from './command-line.fixture.js';
import { eventually, startWorld, type World } from './quipu.harness.js';

const HANDOFF = '/api/v1/agents/mesh_handoff';
const TASKS = '/api/v1/mesh/tasks';

type Body = Readonly<Record<string, unknown>>;

describe('tasks that agents hand to each other', () => {
  let world: World;
  const cli = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([]);
  });

  afterAll(() => world.close());

  const post = (path: string, body: object, key = world.credentials.api_key) =>
    request(world.quipu.url).post(path).set('authorization', `Bearer ${key}`).send(body);
  const get = (path: string, key = world.credentials.api_key) =>
    request(world.quipu.url).get(path).set('authorization', `Bearer ${key}`);
  const handOff = async (body: object, status = 200): Promise<Body> =>
    (await post(HANDOFF, body).expect(status)).body as Body;
  const act = async (taskId: string, action: string, body: object, status = 200): Promise<Body> =>
    (await post(`${TASKS}/${taskId}/${action}`, body).expect(status)).body as Body;

  it('are answered with the fields of the interface, and the leader that there is', async () => {
    const body = await handOff({ target_agent: 'ann' });
    expect(body).toMatchObject({
      status: 'handed_off',
      task_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      target_agent: 'ann',
      lease_ttl_sec: 300,
      fencing_token: 1,
    });
    expect(body['raft_leader']).toEqual(expect.stringMatching(/^[a-z][a-z0-9.-]{0,62}$/));
    if (body['election'] === 'none') expect(body['cluster_size']).toBe(1);
    else expect(body).toMatchObject({ election: 'log', cluster_size: null });
    const { body: shown } = await get(`${TASKS}/${String(body['task_id'])}`).expect(200);
    expect(shown).toMatchObject({ raft_leader: body['raft_leader'], task: { status: 'leased' } });
  });

  it('go from agent to agent, and are completed by the last one alone', async () => {
    const task = { task_id: 'relay' };
    await handOff({ ...task, target_agent: 'ann', context_ref: 'file-1' });
    const held = await handOff({ ...task, target_agent: 'bob' }, 409);
    expect(held).toMatchObject({ code: 'mesh_lease_held', metadata: { holder: 'ann' } });
    const passed = { ...task, source_agent: 'ann', target_agent: 'bob', fencing_token: 1 };
    expect(await handOff(passed)).toMatchObject({ target_agent: 'bob', fencing_token: 2 });
    const stale = await act('relay', 'complete', { agent: 'ann', fencing_token: 1 }, 409);
    expect(stale).toMatchObject({ code: 'mesh_token_stale', param: 'fencing_token' });
    const beat = await act('relay', 'heartbeat', { agent: 'bob', fencing_token: 2 });
    expect(beat).toMatchObject({ status: 'leased', fencing_token: 2 });
    const end = { agent: 'bob', fencing_token: 2, result_ref: 'file-2' };
    expect(await act('relay', 'complete', end)).toMatchObject({ status: 'completed' });
    expect(await act('relay', 'complete', end)).toMatchObject({ status: 'completed' });
    const over = await handOff({ ...task, target_agent: 'cid' }, 409);
    expect(over).toMatchObject({ code: 'mesh_task_completed' });
    const { body } = await get(`${TASKS}/relay`).expect(200);
    expect((body as { readonly task: Body }).task).toMatchObject({
      status: 'completed',
      agent: 'bob',
      source_agent: 'ann',
      context_ref: 'file-1',
      result_ref: 'file-2',
    });
  });

  it('are taken over once the lease has ended, which the log records', async () => {
    const task = { task_id: 'orphan', lease_ttl_sec: 1 };
    await handOff({ ...task, target_agent: 'ann' });
    const types = async () =>
      (await world.events())
        .filter(({ data }) => (data as Body)['taskId'] === 'orphan')
        .map(({ type }) => type);
    await eventually(async () => (await types()).includes('MeshLeaseExpired'));
    const late = await act('orphan', 'heartbeat', { agent: 'ann', fencing_token: 1 }, 409);
    expect(late).toMatchObject({ code: 'mesh_lease_expired' });
    const taken = { ...task, lease_ttl_sec: 60, target_agent: 'bob' };
    expect(await handOff(taken)).toMatchObject({ target_agent: 'bob', fencing_token: 2 });
    expect(await types()).toEqual(['MeshTaskHandedOff', 'MeshLeaseExpired', 'MeshTaskHandedOff']);
  });

  it('do not make the log grow with each heartbeat', async () => {
    await handOff({ task_id: 'steady', target_agent: 'ann' });
    const before = (await world.events()).length;
    const beat = { agent: 'ann', fencing_token: 1 };
    await Promise.all(Array.from({ length: 20 }, () => act('steady', 'heartbeat', beat)));
    expect((await world.events()).length).toBe(before);
  });

  it('are listed by agent and status, in pages', async () => {
    for (const id of ['list-1', 'list-2', 'list-3']) {
      await handOff({ task_id: id, target_agent: 'lister' });
    }
    await act('list-2', 'release', { agent: 'lister', fencing_token: 1 });
    const idsOf = async (query: string) => {
      const { body } = await get(`${TASKS}?${query}`).expect(200);
      const { tasks, next_after: next } = body as {
        readonly tasks: readonly Body[];
        readonly next_after: string | null;
      };
      return [tasks.map(({ task_id: id }) => id), next];
    };
    expect(await idsOf('agent=lister')).toEqual([['list-1', 'list-2', 'list-3'], null]);
    expect(await idsOf('agent=lister&status=released')).toEqual([['list-2'], null]);
    expect(await idsOf('agent=lister&limit=2')).toEqual([['list-1', 'list-2'], 'list-2']);
    expect(await idsOf('agent=lister&limit=2&after=list-2')).toEqual([['list-3'], null]);
    await get(`${TASKS}?after=%20`).expect(400);
    await get(`${TASKS}?status=lost`).expect(400);
  });

  it('are of their account alone', async () => {
    await handOff({ task_id: 'mine', target_agent: 'ann' });
    const { api_key: other } = await cli.createUser('mesh-other', 'renter');
    await get(`${TASKS}/mine`, other).expect(404);
    await post(`${TASKS}/mine/complete`, { agent: 'ann', fencing_token: 1 }, other).expect(404);
    const { body } = await post(HANDOFF, { task_id: 'mine', target_agent: 'eve' }, other);
    expect(body).toMatchObject({ fencing_token: 1, target_agent: 'eve' });
  });

  it.each([
    ['target_agent', {}],
    ['target_agent', { target_agent: 'no spaces' }],
    ['task_id', { target_agent: 'ann', task_id: '/' }],
    ['fencing_token', { target_agent: 'ann', fencing_token: 0 }],
    ['lease_ttl_sec', { target_agent: 'ann', lease_ttl_sec: 0 }],
    ['lease_ttl_sec', { target_agent: 'ann', lease_ttl_sec: 3_601 }],
    ['context_ref', { target_agent: 'ann', context_ref: 'x'.repeat(257) }],
  ])('are rejected by the name of the field: %s', async (param, body) => {
    const answer = await handOff(body, 400);
    expect(JSON.stringify(answer)).toContain(param);
  });

  it('are shown and freed by the operator', async () => {
    await handOff({ task_id: 'stuck', target_agent: 'ann' });
    const owner = ['--user', world.credentials.username];
    const listed = await cli.result('mesh', 'list', ...owner, '--agent', 'ann');
    expect(JSON.stringify(listed)).toContain('"stuck"');
    const released = await cli.result('mesh', 'release', 'stuck', ...owner);
    expect(released).toMatchObject({ status: 'released', agent: 'ann', fencing_token: 1 });
    const shown = await cli.result('mesh', 'show', 'stuck', ...owner);
    expect(shown).toMatchObject({ task_id: 'stuck', status: 'released' });
    const { exitCode, stderr } = await cli.run('mesh', 'show', 'missing', ...owner);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('mesh_task_not_found')]);
  });

  it('have a linearizable history under concurrent clients', async () => {
    const agents = ['ann', 'bob', 'cid', 'dan'];
    const history: MeshOperation[] = [];
    const ask = recording(history, async (input) => {
      const [path, body] = meshRequestOf('contended', input);
      return meshOutputOf((await post(path, body)).body);
    });
    const random = randomOf(7);
    const known = new Map(agents.map((agent) => [agent, 1]));
    await Promise.all(agents.map((agent) => runAgent(agent, known, 12, random, ask)));
    expect(history).toHaveLength(48);
    expect(isLinearizable(meshTaskModel, history)).toBe(true);
  });
});
