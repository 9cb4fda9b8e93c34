import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChatChunk, type JsonObject, RigError } from '#areas/inference/rigs/chat-backend.js';
import {
  anthropicDialect,
  anthropicKey,
} from '#areas/inference/rigs/dialects/anthropic/anthropic.dialect.js';
import { keyCredential } from '#areas/inference/rigs/dialects/credentials.js';
import { type RigBackend } from '#areas/inference/rigs/embedding-backend.js';
import { createHttpRig } from '#areas/inference/rigs/http-rig.js';
import { drain, never, requestOf as chatOf } from '#areas/inference/rigs/upstream.fake.js';
import {
  anthropicError,
  type AnthropicFake,
  KEY,
  redactedThought,
  startAnthropicFake,
  thought,
} from './anthropic.fake.js';

const MODEL = 'claude-opus-5-5';
const CALLS = [
  { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Lima' } },
  { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} },
];
const TOOL_CALLS = [
  { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Lima"}' } },
  { id: 'toolu_2', type: 'function', function: { name: 'now', arguments: '{}' } },
];
const TOOLS = ['weather', 'now'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
}));
const text = (said: string) => ({ type: 'text', text: said });

const requestOf = (more: JsonObject = {}) =>
  chatOf({ model: MODEL, max_tokens: 2_000, temperature: 0.7, ...more });

interface Delta {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly thinking_blocks?: readonly unknown[];
  readonly tool_calls?: readonly { index: number; function: { arguments: string } }[];
}

/** The message that a client of chats puts together. */
const assembled = (chunks: readonly ChatChunk[]): JsonObject => {
  const deltas = chunks.flatMap(({ choices }) =>
    (choices as readonly { readonly delta: Delta }[]).map(({ delta }) => delta),
  );
  const calls: { function: { arguments: string } }[] = [];
  for (const { index, ...call } of deltas.flatMap(({ tool_calls = [] }) => tool_calls)) {
    const before = calls[index];
    if (before) before.function.arguments += call.function.arguments;
    else calls[index] = { ...call, function: { ...call.function } };
  }
  return {
    role: 'assistant',
    content: deltas.map(({ content = '' }) => content).join(''),
    reasoning_content: deltas.map(({ reasoning_content = '' }) => reasoning_content).join(''),
    thinking_blocks: deltas.flatMap(({ thinking_blocks = [] }) => thinking_blocks),
    tool_calls: calls,
  };
};

describe('a rig of the kind anthropic', () => {
  let fake: AnthropicFake;
  let rig: RigBackend;

  beforeAll(async () => {
    fake = await startAnthropicFake();
    rig = createHttpRig({
      name: 'claude',
      baseUrl: fake.baseUrl,
      maxConcurrency: 4,
      dialect: anthropicDialect('claude'),
      credentials: [keyCredential('claude', { key: KEY }, anthropicKey)],
    });
  });

  afterAll(async () => {
    await rig.close();
    await fake.close();
  });

  const failureOf = async (work: Promise<unknown>): Promise<RigError> => {
    const error: unknown = await work.then(
      () => null,
      (cause: unknown) => cause,
    );
    if (error instanceof RigError) return error;
    throw new Error(`expected a RigError, got ${String(error)}`);
  };

  it('answers and streams the same: thoughts, text and parallel calls', async () => {
    fake.reply({
      content: [thought('Which fog?'), redactedThought(), text('Fog.'), ...CALLS],
      stopReason: 'tool_use',
    });
    const request = requestOf({ tools: TOOLS });
    const { completion, usage } = await rig.complete(request, never);
    const [choice] = completion['choices'] as { message: JsonObject; finish_reason: string }[];
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Fog.',
        reasoning_content: 'Which fog?',
        thinking_blocks: [thought('Which fog?'), redactedThought()],
        tool_calls: TOOL_CALLS,
      },
    });
    const streamed = await drain(rig.stream(request, never));
    const { tool_calls: calls, ...message } = choice?.message ?? {};
    const unnumbered = (calls as readonly JsonObject[]).map(({ index: _index, ...call }) => call);
    expect(assembled(streamed.chunks)).toEqual({ ...message, tool_calls: unnumbered });
    expect(streamed.usage).toEqual(usage);
    expect(usage).toMatchObject({ source: 'provider', parts: { cache_read_tokens: 0 } });
  });

  it('takes its own answer back: signatures, calls, and the results in one turn', async () => {
    fake.reply({ content: [thought('Hm.'), ...CALLS], stopReason: 'tool_use' });
    const { completion } = await rig.complete(requestOf({ tools: TOOLS }), never);
    const [choice] = completion['choices'] as { message: JsonObject }[];
    fake.reply({ content: [text('Fog at noon.')] });
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is the weather?' },
      choice?.message,
      { role: 'tool', tool_call_id: 'toolu_1', content: 'Fog.' },
      { role: 'tool', tool_call_id: 'toolu_2', content: [text('Noon.')] },
      { role: 'user', content: 'And?' },
    ];
    const thinking = { type: 'enabled', budget_tokens: 1_024 };
    await rig.complete(requestOf({ tools: TOOLS, messages, thinking }), never);
    const sent = fake.accepted.at(-1);
    expect(sent).toMatchObject({ system: [text('Be brief.')], thinking });
    expect(sent).not.toHaveProperty('temperature');
    expect(sent?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(sent?.messages[1]?.content).toEqual([thought('Hm.'), ...CALLS]);
  });

  it('sends pictures, documents, schemas, choices of tools and what bounds an answer', async () => {
    fake.reply({ content: [text('{}')], stopReason: 'max_tokens' });
    const image = 'data:image/png;base64,AAAA';
    const schema = { type: 'object', additionalProperties: false };
    const parts = [
      { ...text('What is this?'), cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'image_url', image_url: { url: image } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      {
        type: 'file',
        file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      },
      { type: 'file', file: { file_data: 'data:text/plain;base64,S25vdHM=' } },
    ];
    const { completion } = await rig.complete(
      requestOf({
        messages: [{ role: 'user', content: parts }],
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
        reasoning_effort: 'minimal',
        tools: TOOLS,
        tool_choice: 'required',
        parallel_tool_calls: false,
        stop: 'END',
        user: 'u-1',
      }),
      never,
    );
    expect(completion['choices']).toMatchObject([{ finish_reason: 'length' }]);
    expect(fake.accepted.at(-1)).toMatchObject({
      max_tokens: 2_000,
      temperature: 0.7,
      stop_sequences: ['END'],
      metadata: { user_id: 'u-1' },
      output_config: { effort: 'low', format: { type: 'json_schema', schema } },
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      messages: [
        {
          content: [
            { ...text('What is this?'), cache_control: { type: 'ephemeral', ttl: '1h' } },
            { source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { source: { type: 'url', url: 'https://example.com/a.png' } },
            { title: 'a.pdf', source: { media_type: 'application/pdf', data: 'JVBERi0=' } },
            { source: { type: 'text', media_type: 'text/plain', data: 'Knots' } },
          ],
        },
      ],
    });
  });

  it.each<[string, JsonObject]>([
    ['seed', { seed: 7 }],
    ['n', { n: 2 }],
    ['a_field_of_tomorrow', { a_field_of_tomorrow: 1 }],
    ['temperature', { temperature: 1.5 }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['tools[0].type', { tools: [{ type: 'web_search' }] }],
    [
      'messages[0].content[0].type',
      { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
    ],
    ['messages[0].role', { messages: [{ role: 'function', content: 'a' }] }],
    [
      'messages[0].tool_calls[0].function.arguments',
      {
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'b', arguments: '[' } }] },
        ],
      },
    ],
  ])('refuses %s by name before it asks', async (param, more) => {
    const before = fake.received.length;
    const error = await failureOf(rig.complete(requestOf(more), never));
    expect(error).toMatchObject({ kind: 'refused', details: { upstreamError: { param } } });
    expect(fake.received).toHaveLength(before);
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'stop'],
  ])('says of %s that it is %s', async (stopReason, finish_reason) => {
    fake.reply({ content: [text('a')], stopReason, stopSequence: 'END' });
    const expected = [{ finish_reason, stop_reason: 'END' }];
    const { completion } = await rig.complete(requestOf(), never);
    expect(completion['choices']).toMatchObject(expected);
    const { chunks } = await drain(rig.stream(requestOf(), never));
    expect(chunks.at(-1)?.['choices']).toMatchObject(expected);
  });

  it('ends a stream with the usage chunk that its caller asked for', async () => {
    fake.reply({ content: [text('a')] });
    const request = requestOf({ stream_options: { include_usage: true } });
    const { chunks, usage } = await drain(rig.stream(request, never));
    expect(chunks.at(-1)).toMatchObject({
      id: 'msg_fake1',
      choices: [],
      usage: { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens },
    });
  });

  it.each([
    [400, 'invalid_request_error', 'refused'],
    [401, 'authentication_error', 'failed'],
    [402, 'billing_error', 'failed'],
    [403, 'permission_error', 'failed'],
    [413, 'request_too_large', 'refused'],
    [429, 'rate_limit_error', 'overloaded'],
    [500, 'api_error', 'failed'],
    [504, 'timeout_error', 'timed-out'],
    [529, 'overloaded_error', 'overloaded'],
  ])('of status %i, %s, is %s', async (status, type, kind) => {
    fake.reply(anthropicError(status, type, 'max_tokens: no', { 'retry-after': '7' }));
    const error = await failureOf(rig.complete(requestOf(), never));
    expect(error).toMatchObject({
      kind,
      details: { status, retryAfterMs: 7_000, upstreamError: { param: 'max_tokens', type } },
    });
  });

  it('takes a limit of the operator’s money for no load', async () => {
    const message = 'enforced_spend_limit_reached';
    fake.reply(anthropicError(429, 'rate_limit_error', message));
    expect((await failureOf(rig.complete(requestOf(), never))).kind).toBe('failed');
  });

  it('states what a stream used before it broke, by an error or an end', async () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    const content = [text('Four words are said')];
    fake.reply({ content });
    const { usage: whole } = await rig.complete(requestOf(), never);
    for (const broken of [
      { events: 4, error },
      { events: 4, ending: 'destroy' as const },
    ]) {
      fake.reply({ content, ...broken });
      const failure = await failureOf(drain(rig.stream(requestOf(), never)));
      expect(failure).toMatchObject({
        kind: 'broken-off',
        details: {
          used: { promptTokens: whole.promptTokens, completionTokens: 2, source: 'counted' },
        },
      });
    }
    fake.reply({ content, events: 0, error });
    const early = await failureOf(drain(rig.stream(requestOf(), never)));
    expect(early).toMatchObject({ kind: 'overloaded' });
    expect(early.details.used).toBeUndefined();
  });
});
