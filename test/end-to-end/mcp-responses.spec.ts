import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type OpenAI from 'openai';
import request from 'supertest';
import { type McpServerFixture, startMcpServer } from '#areas/agents/mcp/mcp-server.fixture.js';
import {
  chunksOf,
  deltaOf,
  DONE,
  eventOf,
  type Script,
  sse,
  statement,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { ANSWER_TOKENS, calling, PROMPT_TOKENS, saying } from './agents.fixture.js';
import { CommandLine } from './command-line.fixture.js';
import { MODEL, scriptedCatalog, startWorld, type World } from './quipu.harness.js';

const SERVERS = '/api/v1/mcp/servers';
const SHOUT = 'docs__shout_loud';
/** A chat costs 100 tokens of prompt at 1 USD a million and 10 of answer at 2; a call costs 250. */
const CHAT_MICRO_USD = PROMPT_TOKENS + 2 * ANSWER_TOKENS;
const CALL_MICRO_USD = 250;

const usage = statement(PROMPT_TOKENS, ANSWER_TOKENS);

/** The same answers in pieces, where a stream is asked for. */
const eitherWay =
  (whole: Script, chunks: readonly object[]): Script =>
  (response, received) => {
    const isStream = received.body['stream'] === true;
    const pieces = [...chunks.map(eventOf), eventOf(usageChunkOf(usage)), DONE];
    (isStream ? sse(pieces) : whole)(response, received);
  };

const calls = (name: string, input: object): Script => {
  const json = JSON.stringify(input);
  const head = { index: 0, id: 'call_1', type: 'function' };
  return eitherWay(calling(name, input), [
    deltaOf({ tool_calls: [{ ...head, function: { name, arguments: '' } }] }),
    deltaOf({ tool_calls: [{ index: 0, function: { arguments: json.slice(0, 4) } }] }),
    deltaOf({ tool_calls: [{ index: 0, function: { arguments: json.slice(4) } }] }),
    deltaOf({}, 'tool_calls'),
  ]);
};

const says = (text: string): Script => eitherWay(saying(text), chunksOf(text));

type Mcp = OpenAI.Responses.Tool.Mcp;
type Created = OpenAI.Responses.Response;

describe('responses with tools of MCP servers', () => {
  let world: World;
  let server: McpServerFixture;
  let scripts: readonly Script[] = [];
  let asked: Record<string, unknown>[] = [];
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    const answer: Script = (response, received) => {
      asked.push(received.body);
      scripts[Math.min(asked.length, scripts.length) - 1]?.(response, received);
    };
    world = await startWorld([answer], {
      catalogOf: (url) =>
        `${scriptedCatalog(url)}\nmeters:\n  - { meter: mcp_calls, usd: 0.00025, per: 1 }\n`,
      environment: { QUIPU_AGENT_MCP_PRIVATE: 'allow', QUIPU_AGENT_MCP_TIMEOUT_SECONDS: '10' },
    });
  });

  afterAll(() => world.close());

  const send = (method: 'post' | 'delete', path: string, body?: object) =>
    request(world.quipu.url)
      [method](path)
      .set({ authorization: `Bearer ${world.credentials.api_key}` })
      .send(body);

  beforeEach(async () => {
    asked = [];
    server = await startMcpServer();
    await send('post', SERVERS, { name: 'docs', url: server.url, bearer_token: 'knots' });
    for (const tool of ['shout_loud', 'fail']) {
      await send('post', `${SERVERS}/docs/tools/${tool}/allow`).expect(200);
    }
  });

  afterEach(async () => {
    await send('delete', `${SERVERS}/docs`);
    await server.close();
  });

  const docs = (more: Partial<Mcp> = {}): Mcp => ({
    type: 'mcp',
    server_label: 'docs',
    require_approval: 'never',
    ...more,
  });

  const create = (
    tool: Mcp,
    more: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming> = {},
  ): Promise<Created> =>
    world.openai.responses.create({
      model: MODEL,
      input: 'Shout knots.',
      tools: [tool],
      ...more,
      stream: false,
    });

  const typesOf = ({ output }: Created): readonly string[] => output.map(({ type }) => type);

  /** The charges since a position. */
  const charges = async (since: number) =>
    (await world.events())
      .slice(since)
      .filter(({ type }) => type === 'HoldCaptured')
      .map(({ data }) => data as { readonly purpose: string; readonly amountMicroUsd: string })
      .map(({ purpose, amountMicroUsd }) => [purpose, Number(amountMicroUsd)]);

  const position = async (): Promise<number> => (await world.events()).length;

  it('call them between chats, each with a hold and a charge of its own', async () => {
    const since = await position();
    scripts = [calls(SHOUT, { text: 'knots' }), says('KNOTS it is.')];
    const response = await create(docs({ server_url: server.url }));
    expect(response).toMatchObject({
      status: 'completed',
      output_text: 'KNOTS it is.',
      output: [
        {
          type: 'mcp_list_tools',
          server_label: 'docs',
          tools: [
            { name: 'shout_loud', description: 'Shouts.', annotations: { idempotentHint: true } },
            { name: 'fail' },
          ],
        },
        {
          type: 'mcp_call',
          server_label: 'docs',
          name: 'shout_loud',
          arguments: '{"text":"knots"}',
          output: 'KNOTS',
          error: null,
          status: 'completed',
        },
        { type: 'message' },
      ],
      usage: { input_tokens: 2 * PROMPT_TOKENS, output_tokens: 2 * ANSWER_TOKENS },
    });
    expect(server.calls).toMatchObject([{ text: 'knots', authorization: 'Bearer knots' }]);
    expect(asked[0]).toMatchObject({
      tools: [{ function: { name: SHOUT } }, { function: { name: 'docs__fail' } }],
    });
    const { messages } = asked[1] as { messages: readonly object[] };
    expect(messages.slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ function: { name: SHOUT } }] },
      { role: 'tool', content: 'KNOTS' },
    ]);
    expect(await charges(since)).toEqual([
      ['chat_completion', CHAT_MICRO_USD],
      ['mcp_tool_call', CALL_MICRO_USD],
      ['chat_completion', CHAT_MICRO_USD],
    ]);
    expect(await quipu.unpricedCharges()).toBe(0);
  });

  it('stream the events that the official client knows, and the whole response', async () => {
    scripts = [calls(SHOUT, { text: 'knots' }), says('KNOTS it is.')];
    const stream = world.openai.responses.stream({
      model: MODEL,
      input: 'Shout knots.',
      tools: [docs()],
    });
    const types: string[] = [];
    let json = '';
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.mcp_call_arguments.delta') json += event.delta;
    }
    expect(types.filter((type) => type.includes('mcp'))).toEqual([
      'response.mcp_list_tools.in_progress',
      'response.mcp_list_tools.completed',
      'response.mcp_call.in_progress',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.done',
      'response.mcp_call.completed',
    ]);
    expect(json).toBe('{"text":"knots"}');
    const response = await stream.finalResponse();
    expect(typesOf(response)).toEqual(['mcp_list_tools', 'mcp_call', 'message']);
    expect(response).toMatchObject({
      output_text: 'KNOTS it is.',
      usage: { input_tokens: 2 * PROMPT_TOKENS },
    });
    expect(await world.openai.responses.retrieve(response.id)).toMatchObject({
      output: response.output.map(({ id, type }) => ({ id, type })),
    });
  });

  it('wait for the approval of the caller, and then make the call', async () => {
    scripts = [calls(SHOUT, { text: 'knots' }), says('KNOTS it is.')];
    const first = await create(docs({ require_approval: 'always' }));
    expect(typesOf(first)).toEqual(['mcp_list_tools', 'mcp_approval_request']);
    expect(server.calls).toEqual([]);
    const [, asks] = first.output;
    expect(asks).toMatchObject({ name: 'shout_loud', arguments: '{"text":"knots"}' });
    const decide = (approve: boolean) => ({
      previous_response_id: first.id,
      input: [
        { type: 'mcp_approval_response', approval_request_id: asks?.id ?? '', approve } as const,
      ],
    });
    const since = await position();
    const second = await create(docs({ require_approval: 'always' }), decide(true));
    // The list is in the conversation already.
    expect(second.output).toMatchObject([
      { type: 'mcp_call', approval_request_id: asks?.id, output: 'KNOTS' },
      { type: 'message' },
    ]);
    expect(await charges(since)).toEqual([
      ['mcp_tool_call', CALL_MICRO_USD],
      ['chat_completion', CHAT_MICRO_USD],
    ]);
    const again = { ...decide(true), previous_response_id: second.id };
    await expect(create(docs(), again)).rejects.toMatchObject({
      status: 400,
      param: 'input[0].approval_request_id',
      message: expect.stringContaining('has decided this call'),
    });
    const declined = await create(docs({ require_approval: 'always' }), decide(false));
    expect(typesOf(declined)).toEqual(['message']);
    expect(server.calls).toHaveLength(1);
    const { messages } = asked.at(-1) as { messages: readonly object[] };
    expect(messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'The user declined this call.',
    });
  });

  it('show the call that failed, which is free, and go on', async () => {
    const since = await position();
    scripts = [calls('docs__fail', { text: 'twist' }), says('It failed.')];
    const response = await create(docs());
    expect(response.output[1]).toMatchObject({
      type: 'mcp_call',
      status: 'failed',
      output: null,
      error: 'mcp_tool_failed: fail: cannot twist',
    });
    expect((await charges(since)).map(([purpose]) => purpose)).toEqual([
      'chat_completion',
      'chat_completion',
    ]);
  });

  it('end with the calls of functions that the caller must make', async () => {
    scripts = [calls('count', { cords: 3 })];
    const count = { type: 'function', name: 'count', parameters: {}, strict: false } as const;
    const response = await create(docs(), { tools: [docs(), count] });
    expect(typesOf(response)).toEqual(['mcp_list_tools', 'function_call']);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['calls', { max_tool_calls: 2 }, 2, 3],
    ['chats', {}, 15, 16],
  ])('are bounded by the number of %s', async (_, more, called, chats) => {
    scripts = [calls(SHOUT, { text: 'knots' })];
    const response = await create(docs(), more);
    expect(server.calls).toHaveLength(called);
    expect(asked).toHaveLength(chats);
    expect(asked.at(-1)).toMatchObject({ tool_choice: 'none' });
    expect(response.status).toBe('completed');
  });

  it('force a call in the first chat only', async () => {
    scripts = [calls(SHOUT, { text: 'knots' }), says('Done.')];
    const choice = { type: 'mcp', server_label: 'docs', name: 'shout_loud' } as const;
    await create(docs(), { tool_choice: choice });
    expect(asked.map((body) => body['tool_choice'])).toEqual([
      { type: 'function', function: { name: SHOUT } },
      'auto',
    ]);
  });

  it.each([
    ['of an unknown server', { server_label: 'none' }, 'server_label', 'register it with POST'],
    [
      'at another address',
      { server_url: 'https://mcp.example.com/mcp' },
      'server_url',
      'expected the registered address',
    ],
    ['with a secret', { authorization: 'knots' }, 'authorization', 'register the server'],
    ['of a connector', { connector_id: 'connector_gmail' }, 'connector_id', 'register the server'],
    ['not allowed', { allowed_tools: ['hidden'] }, 'allowed_tools[0]', 'has not allowed'],
    [
      'unknown',
      { allowed_tools: { tool_names: ['knot'] } },
      'allowed_tools.tool_names[0]',
      'no tool docs__knot',
    ],
  ] as const)('are refused by the name of the field: %s', async (_, more, field, message) => {
    scripts = [says('never')];
    await expect(create(docs(more as Partial<Mcp>))).rejects.toMatchObject({
      status: 400,
      param: `tools[0].${field}`,
      message: expect.stringContaining(message),
    });
    expect(asked).toEqual([]);
  });

  it('are of no response in the background', async () => {
    await expect(create(docs(), { background: true })).rejects.toMatchObject({
      status: 400,
      param: 'tools[0].type',
    });
  });

  it('fail by name while their server does not answer, and nothing is charged', async () => {
    const since = await position();
    await server.close();
    await expect(create(docs())).rejects.toMatchObject({ status: 503 });
    expect(await charges(since)).toEqual([]);
    server = await startMcpServer();
  });
});
