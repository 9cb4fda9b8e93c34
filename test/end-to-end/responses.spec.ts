import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type OpenAI from 'openai';
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
const USAGE = {
  ...statement(9, 4),
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 1 },
};

const CALL = { index: 0, id: 'call_7', type: 'function' };
const calling = [
  deltaOf({ role: 'assistant', content: 'Let me see.' }),
  deltaOf({ tool_calls: [{ ...CALL, function: { name: 'count', arguments: '' } }] }),
  deltaOf({ tool_calls: [{ index: 0, function: { arguments: '{"cords"' } }] }),
  deltaOf({ tool_calls: [{ index: 0, function: { arguments: ':3}' } }] }),
  deltaOf({}, 'tool_calls'),
];
const called = {
  ...completionOf('Let me see.', USAGE),
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [{ ...CALL, function: { name: 'count', arguments: '{"cords":3}' } }],
      },
      finish_reason: 'tool_calls',
    },
  ],
};

/** The script in the last message: `call`, `hang`, `break`, `fail`, or else a sentence. */
const rig: Script = (response, received) => {
  const messages = received.body['messages'] as readonly { readonly content: unknown }[];
  const asked = messages.at(-1)?.content;
  const streamed = received.body['stream'] === true;
  const chunks = asked === 'call' ? calling : chunksOf(...WORDS);
  const script = ((): Script => {
    if (asked === 'fail') return json(400, { error: { message: 'no', type: 'x', param: 'p' } });
    if (asked === 'hang') return sse(chunks.slice(0, 3).map(eventOf), 'hang');
    if (asked === 'break') return sse(chunks.slice(0, 3).map(eventOf), 'destroy');
    if (streamed) return sse([...chunks.map(eventOf), eventOf(usageChunkOf(USAGE)), DONE]);
    return json(200, asked === 'call' ? called : completionOf(WORDS.join(''), USAGE));
  })();
  script(response, received);
};

describe('responses for the official client', () => {
  let world: World;
  let responses: OpenAI['responses'];

  beforeAll(async () => {
    world = await startWorld([rig]);
    ({ responses } = world.openai);
  });

  afterAll(() => world.close());

  const moneyOf = async ({ headers }: Response) => {
    const written = eventsOf(await world.events(), headers.get('x-request-id'));
    return written.filter(({ type }) => type.startsWith('Hold'));
  };
  const lastAsked = () => world.upstream.received.at(-1)?.body;

  it('creates a response with the money and the headers of one chat', async () => {
    const { data, response } = await responses
      .create({
        model: MODEL,
        instructions: 'Be brief.',
        input: 'What do knots do?',
        max_output_tokens: 50,
        temperature: 0,
        top_p: 0.9,
        metadata: { purpose: 'test' },
        text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' } } },
      })
      .withResponse();
    expect(data).toMatchObject({
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      output_text: 'Knots keep accounts.',
      metadata: { purpose: 'test' },
      store: true,
      usage: {
        input_tokens: 9,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 4,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 13,
      },
    });
    expect(lastAsked()).toEqual({
      model: 'scripted-1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What do knots do?' },
      ],
      max_tokens: 50,
      temperature: 0,
      top_p: 0.9,
      stream: false,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'object' } },
      },
    });
    expect(response.headers.get('x-quipu-cost-usd')).toBe('0.000017');
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { amountMicroUsd: '17' } },
    ]);
  });

  it('continues a conversation with tools, and keeps no text of it in the log', async () => {
    const tools: OpenAI.Responses.FunctionTool[] = [
      { type: 'function', name: 'count', parameters: { type: 'object' }, strict: true },
    ];
    const first = await responses.create({ model: MODEL, input: 'call', tools });
    expect(first.output).toMatchObject([
      { type: 'message', content: [{ type: 'output_text', text: 'Let me see.' }] },
      { type: 'function_call', call_id: 'call_7', name: 'count', arguments: '{"cords":3}' },
    ]);
    const tool = { name: 'count', parameters: { type: 'object' }, strict: true };
    expect(lastAsked()).toMatchObject({ tools: [{ type: 'function', function: tool }] });
    const second = await responses.create({
      model: MODEL,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: 'call_7', output: 'secret-3' }],
    });
    expect(second.previous_response_id).toBe(first.id);
    await responses.create({ model: MODEL, previous_response_id: second.id, input: 'And now?' });
    const call = { ...CALL, function: { name: 'count', arguments: '{"cords":3}' } };
    const { index: _, ...asSent } = call;
    expect(lastAsked()?.['messages']).toEqual([
      { role: 'user', content: 'call' },
      { role: 'assistant', content: 'Let me see.', tool_calls: [asSent] },
      { role: 'tool', tool_call_id: 'call_7', content: 'secret-3' },
      { role: 'assistant', content: 'Knots keep accounts.' },
      { role: 'user', content: 'And now?' },
    ]);
    const log = (await world.events()).map(({ data }) => JSON.stringify(data)).join('');
    expect(log).not.toContain('secret-3');
    expect(log).not.toContain('Let me see');
  });

  it('streams typed events in order, and the response that the whole answer has', async () => {
    const { data, response } = await responses
      .create({ model: MODEL, input: 'call', stream: true })
      .withResponse();
    const events = await Array.fromAsync(data);
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(({ sequence_number: n }) => n)).toEqual(events.map((_, n) => n));
    const last = events.at(-1);
    if (last?.type !== 'response.completed') throw new Error('it is not completed');
    expect(last.response).toMatchObject({
      status: 'completed',
      store: true,
      output: [{ type: 'message' }, { call_id: 'call_7', arguments: '{"cords":3}' }],
      usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 2 }, output_tokens: 4 },
    });
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { amountMicroUsd: '17' } },
    ]);
    const stored = await responses.retrieve(last.response.id);
    expect(stored).toMatchObject({ ...last.response, output_text: 'Let me see.' });
  });

  it('is read by the helper of the client, which puts the events together', async () => {
    const stream = responses.stream({ model: MODEL, input: 'What do knots do?' });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => (text += delta));
    expect((await stream.finalResponse()).output_text).toBe('Knots keep accounts.');
    expect(text).toBe('Knots keep accounts.');
  });

  it('retrieves, lists what was sent, and deletes for its account alone', async () => {
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: 'one' },
      { role: 'user', content: [{ type: 'input_text', text: 'two' }] },
    ];
    const created = await responses.create({ model: MODEL, input });
    expect(await responses.retrieve(created.id)).toEqual(created);
    const items = await responses.inputItems.list(created.id, { limit: 1 });
    expect(items).toMatchObject({
      data: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'two' }] }],
      has_more: true,
    });
    const rest = await items.getNextPage();
    expect(rest).toMatchObject({ data: [{ content: [{ text: 'one' }] }], has_more: false });
    const next = await responses.create({
      model: MODEL,
      input: 'three',
      previous_response_id: created.id,
    });
    await responses.delete(created.id);
    await expect(responses.retrieve(created.id)).rejects.toMatchObject({ status: 404 });
    await expect(responses.delete(created.id)).rejects.toMatchObject({
      status: 404,
      code: 'response_not_found',
    });
    for (const previous_response_id of [created.id, next.id, 'resp_of_another']) {
      const placed = (await world.events()).length;
      const refused = responses.create({ model: MODEL, input: 'four', previous_response_id });
      await expect(refused).rejects.toMatchObject({
        status: 400,
        code: 'previous_response_not_found',
        param: 'previous_response_id',
      });
      expect(await world.events()).toHaveLength(placed);
    }
    expect(await responses.retrieve(next.id)).toMatchObject({ id: next.id });
  });

  it('passes images and files on to the rig, and keeps them in the conversation', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const data = 'data:application/pdf;base64,JVBERi0=';
    const content: OpenAI.Responses.ResponseInputContent[] = [
      { type: 'input_text', text: 'What is on it?' },
      { type: 'input_image', image_url: url, detail: 'low' },
      { type: 'input_file', file_data: data, filename: 'knots.pdf' },
    ];
    const created = await responses.create({ model: MODEL, input: [{ role: 'user', content }] });
    const sent = {
      role: 'user',
      content: [
        { type: 'text', text: 'What is on it?' },
        { type: 'image_url', image_url: { url, detail: 'low' } },
        { type: 'file', file: { file_data: data, filename: 'knots.pdf' } },
      ],
    };
    expect(lastAsked()?.['messages']).toEqual([sent]);
    await responses.create({ model: MODEL, previous_response_id: created.id, input: 'And now?' });
    expect(lastAsked()?.['messages']).toEqual([
      sent,
      { role: 'assistant', content: 'Knots keep accounts.' },
      { role: 'user', content: 'And now?' },
    ]);
  });

  it('keeps nothing of a response with store: false', async () => {
    const created = await responses.create({ model: MODEL, input: 'a', store: false });
    expect(created).toMatchObject({ store: false });
    await expect(responses.retrieve(created.id)).rejects.toMatchObject({ status: 404 });
    const types = (await world.events()).slice(-2).map(({ type }) => type);
    expect(types).toEqual(['HoldPlaced', 'HoldCaptured']);
  });

  it('says by its last event that a stream broke, and charges what was sent', async () => {
    const { data, response } = await responses
      .create({ model: MODEL, input: 'break', stream: true })
      .withResponse();
    const last = (await Array.fromAsync(data)).at(-1);
    if (last?.type !== 'response.failed') throw new Error(`it ends with ${last?.type}`);
    expect(last.response).toMatchObject({
      status: 'failed',
      error: { code: 'upstream_broke_off' },
      store: false,
    });
    await expect(responses.retrieve(last.response.id)).rejects.toMatchObject({ status: 404 });
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { outcome: 'upstream_failed' } },
    ]);
  });

  it('charges a caller that leaves, and stores nothing', async () => {
    const { data, response } = await responses
      .create({ model: MODEL, input: 'hang', stream: true })
      .withResponse();
    for await (const event of data) {
      if (event.type === 'response.output_text.delta' && event.delta === ' keep') break;
    }
    await eventually(async () => (await moneyOf(response)).length === 2);
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { outcome: 'client_gone' } },
    ]);
    const written = eventsOf(await world.events(), response.headers.get('x-request-id'));
    expect(written).toHaveLength(2);
  });

  it('passes on the error of a rig, free of charge', async () => {
    const refused = responses.create({ model: MODEL, input: 'fail' });
    await expect(refused).rejects.toMatchObject({ status: 400, param: 'p' });
    expect((await world.events()).at(-1)).toMatchObject({ type: 'HoldReleased' });
  });

  it('answers a retry with the same key by the same response', async () => {
    const body = { model: MODEL, input: 'again' };
    const options = { headers: { 'idempotency-key': 'response-1' } };
    const first = await responses.create(body, options);
    expect(await responses.create(body, options)).toEqual(first);
  });

  it.each([
    ['stream', { background: true, stream: true }],
    ['store', { background: true, store: false }],
    ['routing_mode', { background: true, routing_mode: 'knot' }],
    ['conversation', { conversation: 'conv_1' }],
    ['prompt', { prompt: { id: 'p' } }],
    ['truncation', { truncation: 'auto' }],
    ['tools[0].type', { tools: [{ type: 'web_search' }] }],
    ['include[0]', { include: ['code_interpreter_call.outputs'] }],
    [
      'tools[0].type',
      { background: true, tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
    ],
    ['input[0].type', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    [
      'input[0].content[0].file_id',
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] },
    ],
    ['input', { input: [] }],
    ['knots', { knots: 1 }],
  ])('refuses %s by name, before anything is held', async (param, more) => {
    const placed = (await world.events()).length;
    const body = { model: MODEL, input: 'a', ...more } as OpenAI.Responses.ResponseCreateParams;
    await expect(responses.create(body)).rejects.toMatchObject({ status: 400, param });
    expect(await world.events()).toHaveLength(placed);
  });
});
