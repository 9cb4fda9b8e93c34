import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import request from 'supertest';
import { type Received, type Script } from '#areas/inference/rigs/upstream.fake.js';
import { type HoldCaptured } from '#events/billing/account.events.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import {
  ANSWER_TOKENS,
  calling,
  catalogOf,
  PROMPT_TOKENS,
  saying,
  type Session,
} from './agents.fixture.js';
import { CommandLine } from './command-line.fixture.js';
import { eventually, MODEL, startWorld, type World } from './quipu.harness.js';

type Charge = HoldCaptured['data'];

describe('agents', () => {
  let world: World;
  const quipu = new CommandLine(() => world);
  /** The n-th answers the n-th question since the test began, the last one all later ones. */
  let scripts: readonly Script[] = [saying('done')];
  let asked: Received[] = [];

  beforeAll(async () => {
    const answer: Script = (response, received) => {
      asked.push(received);
      scripts[Math.min(asked.length, scripts.length) - 1]?.(response, received);
    };
    world = await startWorld([answer], { catalogOf });
  });

  afterAll(() => world.close());

  beforeEach(() => {
    asked = [];
  });

  const post = (address: string, body: object, headers: Record<string, string> = {}) =>
    request(world.quipu.url)
      .post(address)
      .set({ authorization: `Bearer ${world.credentials.api_key}`, ...headers })
      .send(body);

  const get = (address: string) =>
    request(world.quipu.url)
      .get(address)
      .set('authorization', `Bearer ${world.credentials.api_key}`);

  const orchestrate = async (body: object, status = 200): Promise<Session> => {
    const order = { goal: 'How much is 0.1 + 0.2?', planner_model: MODEL, ...body };
    const answer = await post('/api/v1/agents/orchestrate', order);
    expect([answer.status, answer.body]).toEqual([status, expect.any(Object)]);
    return answer.body as Session;
  };

  const eventsOf = async (sessionId: string): Promise<readonly RecordedEvent[]> =>
    (await world.events()).filter(({ stream }) => stream === `agentsession-${sessionId}`);

  const chargeOf = async (sessionId: string): Promise<Record<string, unknown>> => {
    const found = async () =>
      (await world.events()).find(
        ({ type, data }) =>
          type === 'HoldCaptured' && (data as { jobId?: string }).jobId === sessionId,
      );
    await eventually(async () => (await found()) !== undefined);
    return (await found())?.data as Record<string, unknown>;
  };

  it('plan, call a tool, and answer with its result', async () => {
    scripts = [calling('calculator', { expression: '0.1 + 0.2' }), saying('It is 0.3.')];
    const session = await orchestrate({ max_steps: 4, max_token_budget: 5_000 });
    expect(session).toMatchObject({
      goal: 'How much is 0.1 + 0.2?',
      status: 'completed',
      stop_reason: 'answered',
      total_steps: 2,
      tools_executed: ['calculator'],
      final_output: 'It is 0.3.',
      tokens_consumed: 2 * (PROMPT_TOKENS + ANSWER_TOKENS),
    });
    const [first, second] = asked.map(({ body }) => body);
    expect(first).toMatchObject({ tool_choice: 'auto', parallel_tool_calls: false });
    expect(first?.['tools']).toContainEqual({
      type: 'function',
      function: expect.objectContaining({ name: 'calculator' }),
    });
    expect(second?.['messages']).toContainEqual(
      expect.objectContaining({
        role: 'tool',
        content: '{"output":{"result":"0.3","exact":true}}',
      }),
    );
    expect((await eventsOf(session.session_id)).map(({ type }) => type)).toEqual([
      'AgentSessionStarted',
      'AgentStepPlanned',
      'AgentToolCalled',
      'AgentToolReturned',
      'AgentStepPlanned',
      'AgentSessionEnded',
    ]);
  });

  it('are charged once, with a line for each step', async () => {
    const chat = { model: MODEL, prompt: 'Twist a cord.', max_tokens: 20 };
    scripts = [calling('chat', chat), saying('A cord.'), saying('Done.')];
    const session = await orchestrate({ tools: ['chat'], max_token_budget: 5_000 });
    expect(session).toMatchObject({ status: 'completed', tools_executed: ['chat'] });
    expect(session.tokens_consumed).toBe(3 * (PROMPT_TOKENS + ANSWER_TOKENS));
    const charge = await chargeOf(session.session_id);
    expect(charge).toMatchObject({
      purpose: 'agent_session',
      rig: 'scripted',
      usageSource: 'provider',
      outcome: 'completed',
      // 3 x 100 tokens at 1 and 3 x 10 at 2 micro-dollars.
      amountMicroUsd: '360',
      evidence: { sessionId: session.session_id, status: 'completed', steps: 2, tokens: 330 },
    });
    expect((charge['lines'] as { step: string; meter: string }[]).map(({ step }) => step)).toEqual([
      'step-1/plan',
      'step-1/plan',
      'step-1/chat',
      'step-1/chat',
      'step-2/plan',
      'step-2/plan',
    ]);
  });

  it('show the classes of tokens of a step, and doubts about them and its tool', async () => {
    const cached = { prompt_tokens_details: { cached_tokens: PROMPT_TOKENS + 50 } };
    const chat = { model: MODEL, prompt: 'Twist a cord.', max_tokens: 20 };
    const reasoned = { ...cached, completion_tokens_details: { reasoning_tokens: 4 } };
    scripts = [calling('chat', chat), saying('A cord.', cached), saying('Done.', reasoned)];
    const { session_id: id } = await orchestrate({ tools: ['chat'], max_token_budget: 5_000 });
    const shown = await get(`/api/v1/agents/sessions/${id}`);
    const doubts = ['parts_above_total'];
    const classes = { cache_read_tokens: PROMPT_TOKENS, reasoning_tokens: 4 };
    expect(shown.body).toMatchObject({
      steps: [{ usage_doubts: doubts }, { token_classes: classes, usage_doubts: doubts }],
    });
    const named = (await eventsOf(id)).filter(({ data }) => JSON.stringify(data).includes('oubts'));
    expect(named).toMatchObject([
      { type: 'AgentToolReturned', data: { usageDoubts: doubts } },
      { type: 'AgentStepPlanned', data: { usage: { doubts } } },
    ]);
  });

  it('end with a status when a budget is exhausted', async () => {
    scripts = [calling('calculator', { expression: '1 + 1' })];
    const steps = await orchestrate({ max_steps: 2, tools: ['calculator'] });
    expect(steps).toMatchObject({
      status: 'budget_exhausted',
      stop_reason: 'max_steps',
      total_steps: 2,
      tools_executed: ['calculator', 'calculator'],
      final_output: null,
    });
    const tokens = await orchestrate({ max_token_budget: 900, tools: ['calculator'] });
    expect(tokens).toMatchObject({
      status: 'budget_exhausted',
      stop_reason: 'max_token_budget',
      final_output: null,
    });
    expect(tokens.tokens_consumed).toBeLessThanOrEqual(900);
    expect(tokens.total_steps).toBeGreaterThan(0);
  });

  it('tell the planner what went wrong, and go on', async () => {
    scripts = [
      calling('calculator', { expression: '1 / 0' }),
      calling('calculator', { sum: '1' }),
      calling('unknown', {}),
      calling('chat', { model: MODEL, prompt: 'Go on.', max_tokens: 8_000 }),
      saying('There is no answer.'),
    ];
    const session = await orchestrate({ max_token_budget: 6_000 });
    expect(session).toMatchObject({ status: 'completed', total_steps: 5 });
    const shown = await get(`/api/v1/agents/sessions/${session.session_id}`);
    expect(shown.status).toBe(200);
    const { steps } = shown.body as { steps: readonly Record<string, unknown>[] };
    expect(steps.map(({ action, outcome, code }) => [action, outcome, code])).toEqual([
      ['tool', 'failed', 'not_a_number'],
      ['tool', 'failed', 'invalid_input'],
      ['invalid', null, null],
      ['tool', 'failed', 'token_budget_too_small'],
      ['answer', null, null],
    ]);
    expect(steps[0]).toMatchObject({
      plan: { tool: 'calculator', arguments: { expression: '1 / 0' } },
      observation: { error: { code: 'not_a_number', message: 'division by zero' } },
    });
    // The others were rejected before their work.
    expect(session.tools_executed).toEqual(['calculator']);
  });

  it('go on in the background, and can be followed, listed and read', async () => {
    const { promise: isAnswered, resolve: answered } = Promise.withResolvers<undefined>();
    const first = calling('calculator', { expression: '6 * 7' });
    scripts = [(...question) => void isAnswered.then(() => first(...question)), saying('42')];
    const order = { tools: ['calculator'], async: true };
    const { session_id: id, status } = await orchestrate(order, 202);
    expect(status).toBe('running');
    answered(undefined);
    const followed = await get(`/api/v1/agents/sessions/${id}/events`).buffer(true);
    expect(followed.text.match(/^event: .*$/gm)).toEqual(
      ['started', 'planned', 'called', 'returned', 'planned', 'ended'].map(
        (one) => `event: ${one}`,
      ),
    );
    expect(followed.text).not.toContain('6 * 7');
    const resumed = await get(`/api/v1/agents/sessions/${id}/events`)
      .set('last-event-id', '4')
      .buffer(true);
    expect(resumed.text.match(/^id: .*$/gm)).toEqual(['id: 5']);
    const list = await get('/api/v1/agents/sessions?limit=1');
    expect(list.body).toMatchObject({
      success: true,
      sessions: [{ session_id: id, status: 'completed', final_output: '42' }],
      next_after: id,
    });
    const next = await get(`/api/v1/agents/sessions?limit=1&after=${id}`);
    expect((next.body as { sessions: Session[] }).sessions[0]?.session_id).not.toBe(id);
  });

  it('stop when they are cancelled', async () => {
    let left: Promise<number> | undefined;
    // It never answers.
    scripts = [(_, received) => (left = received.left)];
    const { session_id: id } = await orchestrate({ async: true }, 202);
    await eventually(() => left !== undefined);
    const cancelled = await post(`/api/v1/agents/sessions/${id}/cancel`, {});
    expect([cancelled.status, cancelled.body]).toEqual([200, expect.any(Object)]);
    const read = async () => (await get(`/api/v1/agents/sessions/${id}`)).body as Session;
    await eventually(async () => (await read()).status === 'cancelled');
    expect(await left).toBeGreaterThan(0);
    expect(await read()).toMatchObject({ stop_reason: 'cancelled', tokens_consumed: 0 });
    const released = async () =>
      (await world.events()).findLast(({ type }) => type === 'HoldReleased');
    await eventually(async () => (await released()) !== undefined);
    expect((await released())?.data).toMatchObject({ reason: 'client_gone' });
  });

  it('are listed, shown and cancelled on the command line', async () => {
    const listed = (await quipu.result('agents', 'list', '--user', 'demo', '--limit', '1')) as {
      readonly sessions: readonly Session[];
      readonly next_after: string;
    };
    const [{ session_id: id } = { session_id: '' }] = listed.sessions;
    expect(listed.next_after).toBe(id);
    expect(await quipu.result('agents', 'show', id)).toMatchObject({ session_id: id, steps: [] });
    // It has ended, so nothing changes.
    expect(await quipu.result('agents', 'cancel', id)).toMatchObject({ status: 'cancelled' });
    const unknown = await quipu.run('agents', 'show', 'nothing');
    expect(unknown.exitCode).not.toBe(0);
    expect(unknown.stderr).toContain('agent session');
  });

  it('are one session for one idempotency key', async () => {
    scripts = [saying('Once.')];
    const order = { goal: 'Once.', planner_model: MODEL, tools: [] };
    const key = { 'idempotency-key': 'agents-once' };
    const first = await post('/api/v1/agents/orchestrate', order, key);
    const second = await post('/api/v1/agents/orchestrate', order, key);
    expect(second.body).toEqual(first.body);
    expect(second.headers['x-quipu-idempotent-replay']).toBe('true');
    expect(asked).toHaveLength(1);
  });

  it('are rejected by the name of the field', async () => {
    const rejected = async (body: object) => {
      const order = { goal: 'x', planner_model: MODEL, ...body };
      const { status, body: answer } = await post('/api/v1/agents/orchestrate', order);
      const { code, param, message } = answer as Record<string, unknown>;
      return { status, code, param, message };
    };
    expect(await rejected({ planner_model: 'acme/none' })).toMatchObject({
      status: 404,
      code: 'agent_planner_not_found',
      param: 'planner_model',
    });
    expect(await rejected({ tools: ['nothing'] })).toMatchObject({
      status: 400,
      code: 'agent_tool_unknown',
      param: 'tools',
    });
    expect(await rejected({ max_steps: 65 })).toMatchObject({
      status: 400,
      message: expect.stringContaining('max_steps'),
    });
    expect(await rejected({ goal: '' })).toMatchObject({ status: 400 });
    const missing = await get('/api/v1/agents/sessions/0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f');
    expect(missing.status).toBe(404);
  });

  it('need the funds for the worst case of the planner', async () => {
    const poor = await quipu.createUser('poor', 'renter');
    const answer = await request(world.quipu.url)
      .post('/api/v1/agents/orchestrate')
      .set('authorization', `Bearer ${poor.api_key}`)
      .send({ goal: 'x', planner_model: MODEL });
    expect([answer.status, answer.body]).toMatchObject([402, { code: 'insufficient_balance' }]);
  });

  it('plan with the built-in model, whose words are held to a grammar', async () => {
    const session = await orchestrate({
      goal: 'What is Quipu?',
      planner_model: 'quipu/nano',
      tools: ['calculator'],
      max_steps: 2,
      max_token_budget: 4_000,
    });
    expect(['answered', 'max_steps']).toContain(session.stop_reason);
    const plans = (await eventsOf(session.session_id)).filter(
      ({ type }) => type === 'AgentStepPlanned',
    );
    expect(plans.length).toBeGreaterThan(0);
    for (const { data } of plans) {
      expect((data as { action: string }).action).not.toBe('invalid');
      expect(data).toMatchObject({ rig: 'built-in', usage: { source: 'provider' } });
    }
    expect(asked).toEqual([]);
  });

  describe('the tools by the Model Context Protocol', () => {
    const connect = async (mode: 'legacy' | 'auto'): Promise<Client> => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const headers = { 'x-api-key': world.credentials.api_key };
      const url = new URL('/api/v1/mcp', world.quipu.url);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      return client;
    };

    it.each(['legacy', 'auto'] as const)('are listed and called: %s', async (mode) => {
      const client = await connect(mode);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['calculator', 'chat']));
      const result = await client.callTool({
        name: 'calculator',
        arguments: { expression: '2 ^ 0.5' },
      });
      expect(result.structuredContent).toEqual({ result: '1.4142135623731', exact: false });
      const tax = await client.callTool({
        name: 'tax',
        arguments: { country: 'DE', amount_usd: '1000' },
      });
      expect(tax.structuredContent).toMatchObject({ withheld_amount: 300, net_payout: 700 });
      const nowhere = { country: 'XX', amount_usd: '1000' };
      const unknown = await client.callTool({ name: 'tax', arguments: nowhere });
      expect(JSON.stringify(unknown.content)).toContain('country_unknown');
      const failed = await client.callTool({ name: 'calculator', arguments: { expression: '1/' } });
      expect(failed.isError).toBe(true);
      await client.close();
    });

    it('are held and charged, each call by itself', async () => {
      scripts = [saying('Knots.')];
      const client = await connect('auto');
      const chat = { model: MODEL, prompt: 'Say knots.', max_tokens: 20 };
      const result = await client.callTool({ name: 'chat', arguments: chat });
      expect(result.structuredContent).toMatchObject({ text: 'Knots.' });
      await client.close();
      const charges = (await world.events()).flatMap(({ type, data }) =>
        type === 'HoldCaptured' && (data as Charge).purpose === 'mcp_tool_call' ? [data] : [],
      );
      expect(charges).toMatchObject([{ amountMicroUsd: '120', evidence: { tool: 'chat' } }]);
      expect(await quipu.unpricedCharges()).toBe(0);
    });

    it('are called once for one idempotency key', async () => {
      scripts = [saying('Once.')];
      const call = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'chat', arguments: { model: MODEL, prompt: 'Once.' } },
      };
      const headers = {
        'idempotency-key': 'mcp-once',
        accept: 'application/json, text/event-stream',
      };
      const first = await post('/api/v1/mcp', call, headers);
      const second = await post('/api/v1/mcp', call, headers);
      expect(first.body).toMatchObject({ result: { structuredContent: { text: 'Once.' } } });
      expect(second.body).toEqual(first.body);
      expect(asked).toHaveLength(1);
    });

    it('are for callers who have a credential, one message in a request', async () => {
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const answer = await request(world.quipu.url).post('/api/v1/mcp').send(list);
      expect(answer.status).toBe(401);
      expect((await get('/api/v1/mcp')).status).toBe(405);
      const batch = await post('/api/v1/mcp', [list, list]);
      expect([batch.status, batch.body]).toMatchObject([400, { error: { code: -32_600 } }]);
    });
  });
});
