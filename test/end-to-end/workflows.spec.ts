import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine } from './command-line.fixture.js';
import { type Script } from '#areas/inference/rigs/upstream.fake.js';
import {
  answering,
  eventually,
  MODEL,
  overstating,
  startWorld,
  type World,
} from './quipu.harness.js';

const WORKFLOWS = '/api/v1/workflows';

interface NodeResult {
  readonly status: string;
  readonly output: unknown;
  readonly code: string | null;
}

interface Run {
  readonly success: boolean;
  readonly run_id: string;
  readonly status: string;
  readonly elapsed_ms: number;
  readonly node_results: Readonly<Record<string, NodeResult>>;
  readonly critical_path: readonly string[];
  readonly amount_micro_usd: string | null;
}

describe('workflows', () => {
  let world: World;
  let server: Server;
  let url: string;
  const asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** How often the server fails before it answers, by path. */
  const failures = new Map<string, number>();

  beforeAll(async () => {
    server = createServer((message, response) => {
      const at = message.url ?? '';
      asked.push({ path: at, headers: message.headers });
      const left = failures.get(at) ?? 0;
      failures.set(at, left - 1);
      response.writeHead(left > 0 ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ topics: ['knots', 'wool'], path: at }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    const answer = answering('Cords ', 'with ', 'knots.');
    const rig: Script = (response, received) => {
      const script = JSON.stringify(received.body).includes('overstate') ? overstating : answer;
      script(response, received);
    };
    world = await startWorld([rig], {
      environment: { QUIPU_HTTP_TOOL_HOSTS: `private:127.0.0.1:${port}` },
    });
  });

  afterAll(async () => {
    await world.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const http = () => request(world.quipu.url);
  const authorization = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const post = (path: string, body: object) =>
    http().post(`${WORKFLOWS}${path}`).set(authorization()).send(body);
  const get = (path: string) => http().get(`${WORKFLOWS}${path}`).set(authorization());

  const create = async (name: string, definition: object): Promise<number> => {
    const { body } = await post('', { name, definition }).expect(201);
    return (body as { readonly workflow_id: number }).workflow_id;
  };

  const run = async (id: number, inputs: object = {}): Promise<Run> => {
    const { body } = await post('/run', { workflow_id: id, inputs, async: false }).expect(200);
    return body as Run;
  };

  it('may have a hundred nodes', async () => {
    const node = { kind: 'calculator', parameters: { expression: '1 + 1' } };
    const nodes = Array.from({ length: 100 }, (_, n) => ({ name: `n${n}`, ...node }));
    expect(await run(await create('wide', { nodes }))).toMatchObject({ status: 'completed' });
  });

  it('run a graph of tools, branches and items, and charge it by node', async () => {
    failures.set('/find', 1);
    const id = await create('report', {
      inputs: { topic: { default: 'quipus' } },
      nodes: [
        {
          name: 'find',
          kind: 'http',
          parameters: { url: `${url}/find` },
          retry: { attempts_max: 2, first_pause_ms: 1 },
        },
        {
          name: 'each',
          kind: 'map',
          after: ['find'],
          parameters: {
            items: '{{ nodes.find.output.body.topics }}',
            tool: 'chat',
            parameters: {
              model: MODEL,
              prompt: 'Write about {{ item }} of {{ inputs.topic }}.',
              max_tokens: 20,
            },
          },
        },
        {
          name: 'choose',
          kind: 'branch',
          after: ['each'],
          parameters: {
            cases: [
              {
                when: {
                  value: '{{ nodes.each.output[1].text }}',
                  operator: 'contains',
                  to: 'knots',
                },
                then: ['publish'],
              },
            ],
            otherwise: ['alarm'],
          },
        },
        {
          name: 'publish',
          kind: 'http',
          after: ['choose'],
          parameters: {
            url: `${url}/publish`,
            method: 'POST',
            body: { texts: '{{ nodes.each.output }}' },
          },
        },
        { name: 'alarm', kind: 'http', after: ['choose'], parameters: { url: `${url}/alarm` } },
        {
          name: 'done',
          kind: 'wait',
          after: ['publish', 'alarm'],
          trigger_rule: 'none_failed',
          parameters: { seconds: 0 },
        },
      ],
    });
    const before = asked.length;
    const ended = await run(id, { topic: 'Peru' });
    expect(ended).toMatchObject({
      success: true,
      status: 'completed',
      node_results: {
        find: { status: 'succeeded', attempts: 2, output: { status: 200 } },
        each: { status: 'succeeded', items: { succeeded: 2 } },
        choose: { status: 'succeeded', output: { chosen: ['publish'] } },
        publish: { status: 'succeeded', response_bytes: 45 },
        alarm: { status: 'skipped', code: 'skipped' },
        done: { status: 'succeeded' },
      },
    });
    expect(ended.critical_path).toEqual(['find', 'each', 'choose', 'publish', 'done']);
    const calls = asked.slice(before);
    expect(calls.map(({ path }) => path)).toEqual(['/find', '/find', '/publish']);
    // Both attempts have one key, so that a server acts once.
    expect(calls[0]?.headers['idempotency-key']).toBe(calls[1]?.headers['idempotency-key']);
    const charge = (await world.events()).find(
      ({ type, data }) => type === 'HoldCaptured' && Object.values(data).includes(ended.run_id),
    );
    expect(charge?.data).toMatchObject({
      purpose: 'workflow_run',
      rig: 'scripted',
      lines: [
        { step: 'each/0', meter: 'input_tokens' },
        { step: 'each/0', meter: 'output_tokens' },
        { step: 'each/1', meter: 'input_tokens' },
        { step: 'each/1', meter: 'output_tokens' },
      ],
      amountMicroUsd: ended.amount_micro_usd,
      evidence: { workflowId: id, version: 1, status: 'completed' },
    });
    expect(await new CommandLine(() => world).unpricedCharges()).toBe(0);
  });

  const chat = (name: string, more: object = {}) => ({
    name,
    kind: 'chat',
    parameters: { model: MODEL, prompt: 'Of knots.', max_tokens: 9 },
    ...more,
  });

  it.each([
    ['an unknown kind', [{ name: 'a', kind: 'paint' }], 'kind paint; the kinds are branch, map'],
    ['a cycle', [chat('a', { after: ['b'] }), chat('b', { after: ['a'] })], 'nodes[0].after: the'],
    ['a dangling edge', [chat('a', { after: ['z'] })], 'nodes[0].after[0]: there is no node z'],
    [
      'a field too much',
      [chat('a', { colour: 1 })],
      'nodes[0]: colour: this field is not supported',
    ],
    [
      'bad parameters',
      [chat('a', { parameters: { model: MODEL, prompt: 'b', max_tokens: 0 } })],
      'nodes[0].parameters.max_tokens: expected a number of at least 1',
    ],
  ])('are refused with %s, and the error names the field', async (_, nodes, message) => {
    const { body } = await post('', { name: 'faulty', definition: { nodes } }).expect(422);
    expect(body).toMatchObject({ success: false, code: 'workflow_invalid' });
    expect((body as { readonly message: string }).message).toContain(message);
  });

  it('name the doubts about the usage that a rig states', async () => {
    const parameters = { model: MODEL, prompt: 'overstate', max_tokens: 20 };
    const nodes = [{ name: 'draft', kind: 'chat', parameters }];
    const done = await run(await create('doubted', { nodes }));
    const doubts = ['parts_above_total'];
    expect(done.node_results).toMatchObject({ draft: { usage_doubts: doubts } });
    const events = (await world.events()).filter(({ data }) =>
      JSON.stringify(data).includes('usageDoubts'),
    );
    expect(events).toMatchObject([
      { type: 'WorkflowNodeEnded', data: { node: 'draft', usageDoubts: doubts } },
      { type: 'HoldCaptured', data: { evidence: { nodes: { draft: { usageDoubts: doubts } } } } },
    ]);
  });

  it('have versions, of which a run takes the newest or the one it names', async () => {
    const id = await create('versioned', { nodes: [chat('first')] });
    const body = { definition: { nodes: [chat('second')] } };
    await post(`/${id}/versions`, body).expect(201, {
      success: true,
      workflow_id: id,
      name: 'versioned',
      version: 2,
    });
    await post('', { name: 'versioned', definition: { nodes: [chat('a')] } }).expect(409);
    const newest = await get(`/${id}`).expect(200);
    expect(newest.body).toMatchObject({ version: 2, order: ['second'] });
    const oldest = await get(`/${id}?version=1`).expect(200);
    expect(oldest.body).toMatchObject({ version: 1, definition: { nodes: [{ name: 'first' }] } });
    await get(`/${id}?version=3`).expect(404);
    await get('/99').expect(404);
    const list = await get('').expect(200);
    expect((list.body as { readonly workflows: readonly object[] }).workflows).toContainEqual(
      expect.objectContaining({ workflow_id: id, version: 2 }),
    );
    const run = { workflow_id: id, version: 1, inputs: {} };
    const { body: ended } = await post('/run', run).expect(200);
    expect((ended as Run).node_results).toMatchObject({ first: { status: 'succeeded' } });
  });

  it('list the kinds of nodes with the schemas of their parameters', async () => {
    const { body } = await get('/node_kinds').expect(200);
    const { kinds } = body as { readonly kinds: readonly { readonly kind: string }[] };
    expect(kinds.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['branch', 'map', 'wait', 'approval', 'chat', 'http']),
    );
    expect(kinds).toContainEqual(
      expect.objectContaining({ kind: 'chat', calls_tool: true, parameters: expect.any(Object) }),
    );
  });

  it('name the input that is missing, unknown or no text', async () => {
    const id = await create('asking', {
      inputs: { topic: {} },
      nodes: [chat('a', { parameters: { model: MODEL, prompt: '{{ inputs.topic }}' } })],
    });
    const cases = [
      [{}, 422, 'inputs.topic: is missing'],
      [{ topic: 'a', tone: 'b' }, 422, 'inputs.tone: the workflow has no such input'],
      [{ topic: 7 }, 400, 'inputs.topic must be a string'],
    ] as const;
    for (const [inputs, status, message] of cases) {
      const { body } = await post('/run', { workflow_id: id, inputs, async: false });
      expect(body).toMatchObject({ success: false, message: expect.stringContaining(message) });
      expect((body as { readonly code: string }).code).toBe(
        status === 422 ? 'workflow_inputs_invalid' : 'invalid_request',
      );
    }
  });

  it('are followed by their events, approved, and resumed from an event', async () => {
    const id = await create('approving', {
      nodes: [{ name: 'ask', kind: 'approval' }, chat('act', { after: ['ask'] })],
    });
    const started = await post('/run', { workflow_id: id, inputs: {}, async: true }).expect(202);
    const { run_id: runId } = started.body as Run;
    expect(started.body).toMatchObject({ success: true, status: 'running' });
    const shown = async () => (await get(`/runs/${runId}`).expect(200)).body as Run;
    await eventually(async () => (await shown()).node_results['ask']?.status === 'running');
    await post(`/runs/${runId}/approvals/act`, { approved: true }).expect(404);
    await post(`/runs/${runId}/approvals/ask`, { approved: true }).expect(200);
    const live = await get(`/runs/${runId}/events`).buffer(true).expect(200);
    const names = [...live.text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    const asked = ['run_started', 'run_funded', 'run_taken', 'node_started', 'run_left'];
    const approved = ['approval_decided', 'node_ended', 'run_taken', 'node_started', 'node_ended'];
    expect(names).toEqual([...asked, ...approved, 'run_ended', 'run_settled']);
    const rest = await get(`/runs/${runId}/events`).set('last-event-id', '10').buffer(true);
    expect(rest.text).toMatch(/^id: 11\nevent: run_settled\n/);
    await get(`/runs/${runId}/events`).set('last-event-id', '77').expect(400);
    await post(`/runs/${runId}/approvals/ask`, { approved: false }).expect(409);
    expect(await shown()).toMatchObject({
      status: 'completed',
      node_results: { ask: { output: { approved: true } }, act: { status: 'succeeded' } },
    });
    const { body: page } = await get('/runs?limit=1').expect(200);
    expect(page).toMatchObject({ runs: [{ run_id: runId, status: 'completed' }] });
  });

  it('are the same run for one idempotency key, and are cancelled at once', async () => {
    const id = await create('waiting', {
      nodes: [{ name: 'pause', kind: 'wait', parameters: { seconds: 3_600 } }, chat('a')],
    });
    const body = { workflow_id: id, inputs: {}, async: true };
    const begin = () => post('/run', body).set('idempotency-key', 'once').expect(202);
    const { run_id: runId } = (await begin()).body as Run;
    expect(((await begin()).body as Run).run_id).toBe(runId);
    await eventually(async () => {
      const { node_results: nodes } = (await get(`/runs/${runId}`)).body as Run;
      return nodes['a']?.status === 'succeeded';
    });
    const cancelled = await post(`/runs/${runId}/cancel`, {}).expect(200);
    expect(cancelled.body).toMatchObject({
      success: false,
      status: 'cancelled',
      node_results: { pause: { status: 'cancelled' }, a: { status: 'succeeded' } },
    });
    // Ended nodes are paid for.
    await eventually(async () => {
      const { amount_micro_usd: amount } = (await get(`/runs/${runId}`)).body as Run;
      return amount !== null && Number(amount) > 0;
    });
    await post(`/runs/${runId}/cancel`, {}).expect(200);
  });

  it('call no host that the operator has not listed', async () => {
    const id = await create('prying', {
      inputs: { url: {} },
      nodes: [{ name: 'a', kind: 'http', parameters: { url: '{{ inputs.url }}' } }],
    });
    const inputs = { url: 'http://169.254.169.254/latest/meta-data' };
    const refused = await post('/run', { workflow_id: id, inputs, async: false }).expect(422);
    expect(refused.body).toMatchObject({
      code: 'workflow_inputs_invalid',
      message: expect.stringContaining('QUIPU_HTTP_TOOL_HOSTS'),
      metadata: { field: 'nodes.a', code: 'http_host_not_allowed' },
    });
  });

  it('go on after a restart', async () => {
    const id = await create('lasting', {
      nodes: [
        chat('a'),
        { name: 'ask', kind: 'approval', after: ['a'] },
        chat('b', { after: ['ask'] }),
      ],
    });
    const started = await post('/run', { workflow_id: id, inputs: {}, async: true }).expect(202);
    const { run_id: runId } = started.body as Run;
    const shown = async () => (await get(`/runs/${runId}`).expect(200)).body as Run;
    await eventually(async () => (await shown()).node_results['ask']?.status === 'running');
    world = await world.restart();
    await post(`/runs/${runId}/approvals/ask`, { approved: true }).expect(200);
    await eventually(async () => (await shown()).amount_micro_usd !== null);
    expect(await shown()).toMatchObject({ status: 'completed' });
  });

  it('are for their account only, and need money', async () => {
    const id = await create('own', { nodes: [chat('a')] });
    const other = await new CommandLine(() => world).createUser('eve', 'renter');
    const asOther = { authorization: `Bearer ${other.api_key}` };
    const { run_id: runId } = await run(id);
    await http().get(`${WORKFLOWS}/runs/${runId}`).set(asOther).expect(404);
    await http().get(`${WORKFLOWS}/${id}`).set(asOther).expect(404);
    const definition = { nodes: [chat('a')] };
    const body = { name: 'hers', definition };
    const created = await http().post(WORKFLOWS).set(asOther).send(body).expect(201);
    const { workflow_id } = created.body as { readonly workflow_id: number };
    await http()
      .post(`${WORKFLOWS}/run`)
      .set(asOther)
      .send({ workflow_id, inputs: {}, async: true })
      .expect(402);
  });
});
