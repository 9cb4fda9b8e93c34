import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chunksOf,
  completionOf,
  deltaOf,
  DONE,
  eventOf,
  json,
  type Script,
  sse,
  statement,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { eventsOf, eventually, MODEL, startWorld, type World } from './quipu.harness.js';

const WORDS = ['Knots', ' keep', ' accounts', '.'];
const USAGE = statement(9, 4);
const CALL = { index: 0, id: 'call_7', type: 'function' };
const calling = [
  deltaOf({ role: 'assistant', content: 'Let me see.' }),
  deltaOf({ tool_calls: [{ ...CALL, function: { name: 'count', arguments: '' } }] }),
  deltaOf({ tool_calls: [{ index: 0, function: { arguments: '{"cords"' } }] }),
  deltaOf({ tool_calls: [{ index: 0, function: { arguments: ':3}' } }] }),
  deltaOf({}, 'tool_calls'),
];
const choiceOf = (message: object, finish_reason: string, more: object = {}) => ({
  ...completionOf('', USAGE),
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason, ...more }],
});
const called = choiceOf(
  {
    content: 'Let me see.',
    tool_calls: [{ ...CALL, function: { name: 'count', arguments: '{"cords":3}' } }],
  },
  'tool_calls',
);

/** The script in the last message: `call`, `hang`, `break`, `fail`, `stop`, or else a sentence. */
const rig: Script = (response, received) => {
  const messages = received.body['messages'] as readonly { readonly content: unknown }[];
  const asked = messages.at(-1)?.content;
  const chunks = asked === 'call' ? calling : chunksOf(...WORDS);
  const script = ((): Script => {
    if (asked === 'fail') return json(400, { error: { message: 'no', type: 'x', param: 'p' } });
    if (asked === 'claim') return json(200, completionOf('a', statement(1_000_000, 1_000)));
    if (asked === 'stop')
      return json(200, choiceOf({ content: 'Kn' }, 'stop', { stop_reason: '.' }));
    if (asked === 'hang') return sse(chunks.slice(0, 3).map(eventOf), 'hang');
    if (asked === 'break') return sse(chunks.slice(0, 3).map(eventOf), 'destroy');
    if (received.body['stream'] === true) {
      return sse([...chunks.map(eventOf), eventOf(usageChunkOf(USAGE)), DONE]);
    }
    return json(200, asked === 'call' ? called : completionOf(WORDS.join(''), USAGE));
  })();
  script(response, received);
};

const asking = (content: Anthropic.MessageParam['content'], more: object = {}) => ({
  model: MODEL,
  max_tokens: 50,
  messages: [{ role: 'user' as const, content }],
  ...more,
});

describe('messages for the official client of Anthropic', () => {
  let world: World;
  let anthropic: Anthropic;

  beforeAll(async () => {
    world = await startWorld([rig]);
    const apiKey = world.credentials.api_key;
    anthropic = new Anthropic({ baseURL: world.quipu.url, apiKey, maxRetries: 0 });
  });

  afterAll(() => world.close());

  const moneyOf = async ({ headers }: Response) => {
    const written = eventsOf(await world.events(), headers.get('request-id'));
    return written.map(({ type, data }) => ({ type, data }));
  };
  const lastAsked = () => world.upstream.received.at(-1)?.body;

  it('creates a message with the money and the headers of one chat', async () => {
    const { data, response } = await anthropic.messages
      .create(
        asking('What do knots do?', {
          system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
          stop_sequences: ['!'],
          temperature: 0,
          top_k: 5,
          metadata: { user_id: 'ada' },
        }),
      )
      .withResponse();
    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text: 'Knots keep accounts.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 4 },
    });
    expect(lastAsked()).toEqual({
      model: 'scripted-1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What do knots do?' },
      ],
      max_tokens: 50,
      stop: ['!'],
      temperature: 0,
      top_k: 5,
      user: 'ada',
      stream: false,
    });
    expect(response.headers.get('x-quipu-cost-usd')).toBe('0.000017');
    const quantities = [{ quantity: 9 }, { quantity: 4 }];
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { amountMicroUsd: '17', lines: quantities } },
    ]);
  });

  it('states the tokens that are charged where a rig claims more', async () => {
    const { data, response } = await anthropic.messages.create(asking('claim')).withResponse();
    const [, charged] = await moneyOf(response);
    const { input_tokens, output_tokens } = data.usage;
    expect(output_tokens).toBe(50);
    expect(input_tokens).toBeLessThan(1_000);
    expect(charged).toMatchObject({
      type: 'HoldCaptured',
      data: { lines: [{ quantity: input_tokens }, { quantity: output_tokens }] },
    });
  });

  it('translates tools and images in both directions', async () => {
    const tools: Anthropic.Tool[] = [
      { name: 'count', description: 'Counts.', input_schema: { type: 'object' } },
    ];
    const choice = { type: 'any', disable_parallel_tool_use: true };
    const first = await anthropic.messages.create(asking('call', { tools, tool_choice: choice }));
    expect(first).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'call_7', name: 'count', input: { cords: 3 } },
      ],
    });
    const declared = { name: 'count', description: 'Counts.', parameters: { type: 'object' } };
    expect(lastAsked()).toMatchObject({
      tools: [{ type: 'function', function: declared }],
      tool_choice: 'required',
      parallel_tool_calls: false,
    });
    const image = { type: 'base64', media_type: 'image/png', data: 'aGk=' } as const;
    await anthropic.messages.create({
      ...asking('call', { tools }),
      messages: [
        { role: 'user', content: 'call' },
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_7', content: 'three', is_error: true },
            { type: 'image', source: image },
            { type: 'image', source: { type: 'url', url: 'https://example.com/k.png' } },
            { type: 'text', text: 'And here?' },
          ],
        },
      ],
    });
    expect(lastAsked()?.['messages']).toEqual([
      { role: 'user', content: 'call' },
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          { id: 'call_7', type: 'function', function: { name: 'count', arguments: '{"cords":3}' } },
        ],
      },
      {
        role: 'tool',
        tool_call_id: 'call_7',
        content: [
          { type: 'text', text: 'Error:' },
          { type: 'text', text: 'three' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
          { type: 'image_url', image_url: { url: 'https://example.com/k.png' } },
          { type: 'text', text: 'And here?' },
        ],
      },
    ]);
  });

  it('asks for JSON by a schema, with an effort, and for a system message on the way', async () => {
    const schema = { type: 'object' };
    await anthropic.messages.create({
      ...asking('a'),
      messages: [
        { role: 'user', content: 'a' },
        { role: 'system', content: 'b' },
      ],
      output_config: { effort: 'low', format: { type: 'json_schema', schema } },
    });
    expect(lastAsked()).toMatchObject({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'system', content: 'b' },
      ],
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { strict: true, schema } },
    });
  });

  it('streams the events of a message, which the client puts together', async () => {
    const { data, response } = await anthropic.messages
      .create({ ...asking('call'), stream: true })
      .withResponse();
    const types = (await Array.fromAsync(data)).map(({ type }) => type);
    expect(types).toEqual([
      'message_start',
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_delta'],
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { amountMicroUsd: '17' } },
    ]);
    const whole = await anthropic.messages.create(asking('call'));
    const streamed = await anthropic.messages.stream(asking('call')).finalMessage();
    const { id: _, ...same } = whole;
    expect(streamed).toMatchObject(same);
    expect(streamed.usage).toMatchObject({ input_tokens: 9, output_tokens: 4 });
  });

  it('sends a ping after the start, which proxies see', async () => {
    const response = await fetch(`${world.quipu.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': world.credentials.api_key,
        // Clients before 2026 send their key and their version so.
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify({ ...asking('a'), stream: true }),
    });
    const text = await response.text();
    expect(text).toMatch(/^event: message_start\n[^\n]+\n\nevent: ping\ndata: {"type":"ping"}\n\n/);
    expect(text).toContain(': x-quipu-cost-usd=0.000017 ');
    expect(text).toMatch(/event: message_stop\ndata: {"type":"message_stop"}\n\n$/);
  });

  it('says which stop sequence ended the answer, where the rig does', async () => {
    const message = await anthropic.messages.create(asking('stop', { stop_sequences: ['.'] }));
    expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: '.' });
    const other = await anthropic.messages.create(asking('stop', { stop_sequences: ['!'] }));
    expect(other).toMatchObject({ stop_reason: 'end_turn', stop_sequence: null });
  });

  it('ends a stream that breaks with an error, and charges what was sent', async () => {
    const { data, response } = await anthropic.messages
      .create({ ...asking('break'), stream: true })
      .withResponse();
    const error = await Array.fromAsync(data).catch((caught: unknown) => caught);
    if (!(error instanceof Anthropic.APIError)) throw new Error('it has no error');
    expect(error.error).toMatchObject({
      type: 'error',
      error: { type: 'api_error', code: 'upstream_broke_off' },
      request_id: response.headers.get('request-id'),
    });
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { outcome: 'upstream_failed' } },
    ]);
  });

  it('charges a caller that leaves for the sent part', async () => {
    const { data, response } = await anthropic.messages
      .create({ ...asking('hang'), stream: true })
      .withResponse();
    for await (const event of data) {
      if (event.type === 'content_block_delta') break;
    }
    await eventually(async () => (await moneyOf(response)).length === 2);
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { outcome: 'client_gone' } },
    ]);
  });

  it('fails in the envelope and with the exceptions of Anthropic', async () => {
    const wrongKey = new Anthropic({ baseURL: world.quipu.url, apiKey: 'no', maxRetries: 0 });
    const unknownKey = wrongKey.messages.create(asking('a'));
    await expect(unknownKey).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    const unknownModel = anthropic.messages.create(asking('a', { model: 'acme/none' }));
    await expect(unknownModel).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await expect(unknownModel).rejects.toMatchObject({
      status: 404,
      error: { type: 'error', error: { type: 'not_found_error', code: 'model_not_found' } },
    });
    const refused = anthropic.messages.create(asking('fail'));
    await expect(refused).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    await expect(refused).rejects.toMatchObject({
      error: { error: { message: 'no', param: 'p' } },
    });
    expect((await world.events()).at(-1)).toMatchObject({ type: 'HoldReleased' });
  });

  it('counts no tokens of a model whose rigs cannot, and states a bound', async () => {
    const { messages } = asking('a');
    const counted = anthropic.messages.countTokens({ model: MODEL, messages });
    await expect(counted).rejects.toMatchObject({
      status: 501,
      error: {
        type: 'error',
        error: {
          type: 'api_error',
          code: 'token_count_unavailable',
          metadata: { input_tokens_at_most: expect.any(Number) },
        },
      },
    });
  });

  it('answers a retry with the same key again, uncharged', async () => {
    const options = { headers: { 'idempotency-key': 'message-1' } };
    const first = await anthropic.messages.create(asking('again'), options);
    const asked = world.upstream.received.length;
    expect(await anthropic.messages.create(asking('again'), options)).toEqual(first);
    expect(world.upstream.received).toHaveLength(asked);
  });

  it.each([
    ['max_tokens', { max_tokens: undefined }],
    ['thinking.type', { thinking: { type: 'enabled', budget_tokens: 1_024 } }],
    ['tools[0].type', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    [
      'messages[0].content[0].type',
      { messages: [{ role: 'user', content: [{ type: 'document' }] }] },
    ],
    [
      'messages[0].content[1]',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'tool_result', tool_use_id: 'b' },
            ],
          },
        ],
      },
    ],
    ['messages[0].role', { messages: [{ role: 'tool', content: 'a' }] }],
    [
      'messages[0].content[0].citations',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'text', text: 'a', citations: [{ cited_text: 'b' }] }],
          },
        ],
      },
    ],
    ['system[0].type', { system: [{ type: 'image' }] }],
    ['container', { container: 'a' }],
  ])('refuses %s by name, before anything is held', async (param, more) => {
    // The attempts of the requests before it are recorded at any time.
    const holds = async () =>
      (await world.events()).filter(({ type }) => type.startsWith('Hold')).length;
    const placed = await holds();
    const refused = anthropic.messages.create(asking('a', more));
    await expect(refused).rejects.toMatchObject({
      status: 400,
      error: { error: { type: 'invalid_request_error', param } },
    });
    expect(await holds()).toBe(placed);
  });

  it('refuses another version of the interface', async () => {
    const headers = { 'anthropic-version': '2023-01-01' };
    const refused = anthropic.messages.create(asking('a'), { headers });
    await expect(refused).rejects.toMatchObject({ status: 400 });
  });
});
