import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type JsonObject, RigError } from '#areas/inference/rigs/chat-backend.js';
import { bedrockDialect } from '#areas/inference/rigs/dialects/bedrock/bedrock.dialect.js';
import { awsSignature } from '#areas/inference/rigs/dialects/bedrock/signed-requests.js';
import { bearer, keyCredential } from '#areas/inference/rigs/dialects/credentials.js';
import { type Credential } from '#areas/inference/rigs/dialects/dialect.js';
import { type RigBackend } from '#areas/inference/rigs/embedding-backend.js';
import { createHttpRig } from '#areas/inference/rigs/http-rig.js';
import { drain, never, requestOf } from '#areas/inference/rigs/upstream.fake.js';
import { joinedDeltas } from '../joined-deltas.fixture.js';
import { awsError, type BedrockFake, type ConverseReply, startBedrock } from './bedrock.fake.js';
import { exceptionFrame } from './event-stream.fake.js';

const REGION = 'eu-central-1';
const ARN = `arn:aws:bedrock:${REGION}:123456789012:inference-profile/eu.anthropic.claude-opus-5-5`;
const MODEL = 'eu.anthropic.claude-sonnet-5-5-v1:0';
const NOVA = 'amazon.nova-pro-v1:0';
const CREDENTIALS = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret', sessionToken: 'session' };
const USAGE = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
const TEXT: ConverseReply = {
  content: [{ text: 'A quipu' }],
  stopReason: 'end_turn',
  usage: USAGE,
};
const PNG = 'iVBORw0KGgo=';
const WEATHER = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: {} } },
};
const ASKED = { role: 'user', content: 'Weather in Cusco?' };

describe('a rig of Bedrock', () => {
  let fake: BedrockFake;
  let rig: RigBackend;

  const signed = (keys: Partial<typeof CREDENTIALS> = {}, region = REGION): Credential => {
    const { accessKeyId, secretAccessKey, sessionToken } = { ...CREDENTIALS, ...keys };
    return awsSignature(
      'aws',
      {
        accessKeyId: { key: accessKeyId },
        secretAccessKey: { key: secretAccessKey },
        sessionToken: { key: sessionToken },
      },
      region,
    );
  };
  const rigWith = (...credentials: readonly Credential[]): RigBackend =>
    createHttpRig({
      name: 'aws',
      baseUrl: fake.url,
      dialect: bedrockDialect(),
      credentials,
      headers: { 'x-team': 'a  b' },
      maxConcurrency: 4,
    });

  beforeAll(async () => {
    fake = await startBedrock({
      region: REGION,
      models: [MODEL, ARN, NOVA],
      credentials: [CREDENTIALS],
      bearerTokens: ['bedrock-key'],
    });
    rig = rigWith(signed());
  });

  beforeEach(() => {
    fake.reply(TEXT);
  });

  afterAll(async () => {
    await rig.close();
    await fake.close();
  });

  const complete = async (body: JsonObject = {}, asked = rig) => {
    const { completion, usage } = await asked.complete(requestOf({ model: MODEL, ...body }), never);
    const [choice] = completion['choices'] as readonly JsonObject[];
    return { completion, usage, choice, message: choice?.['message'] as JsonObject };
  };
  const stream = async (body: JsonObject = {}) =>
    drain(rig.stream(requestOf({ model: MODEL, stream: true, ...body }), never));
  const failureOf = async (work: Promise<unknown>): Promise<RigError> => {
    const error: unknown = await work.then(
      () => null,
      (cause: unknown) => cause,
    );
    if (error instanceof RigError) return error;
    throw new Error(`expected a RigError, got ${String(error)}`);
  };

  it('signs and translates a chat, and reads its answer', async () => {
    fake.reply({ ...TEXT, serviceTier: { type: 'flex' } });
    const { completion, choice, message, usage } = await complete({
      model: ARN,
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi' },
        { role: 'user', content: 'What is this?' },
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }],
        },
      ],
      max_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop: 'END',
      service_tier: 'flex',
    });
    expect(fake.accepted.at(-1)).toEqual({
      system: [{ text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ text: 'Hello' }] },
        { role: 'assistant', content: [{ text: 'Hi' }] },
        {
          role: 'user',
          content: [
            { text: 'What is this?' },
            { image: { format: 'png', source: { bytes: PNG } } },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 100, temperature: 0.5, topP: 0.9, stopSequences: ['END'] },
      additionalModelRequestFields: { top_k: 40 },
      serviceTier: { type: 'flex' },
    });
    expect(choice).toMatchObject({ index: 0, finish_reason: 'stop' });
    expect(message).toEqual({ role: 'assistant', content: 'A quipu', refusal: null });
    expect(completion).toMatchObject({ service_tier: 'flex', usage: { total_tokens: 15 } });
    expect(usage).toMatchObject({ promptTokens: 10, completionTokens: 5, serviceTier: 'flex' });
  });

  it('streams, with usage from the last event', async () => {
    const { chunks, usage } = await stream({ stream_options: { include_usage: true } });
    expect(joinedDeltas(chunks)).toMatchObject({ content: 'A quipu', finishReason: 'stop' });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15 } });
    expect(usage).toMatchObject({ promptTokens: 10, completionTokens: 5, source: 'provider' });
  });

  it.each(['whole', 'stream'])('keeps thoughts over two turns with tools (%s)', async (mode) => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'Ask the tool.', signature: 'signed' } } },
      { reasoningContent: { redactedContent: 'AAAA' } },
      { toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Cusco' } } },
    ];
    fake.reply({ ...TEXT, content, stopReason: 'tool_use' }, TEXT);
    const options = {
      tools: [WEATHER],
      tool_choice: 'auto',
      reasoning: { max_tokens: 1_024 },
      max_tokens: 2_000,
      temperature: 0.7,
    };
    const body = { messages: [ASKED], ...options };
    const first =
      mode === 'whole'
        ? (await complete(body)).message
        : joinedDeltas((await stream(body)).chunks).message;
    expect(first).toMatchObject({
      content: null,
      reasoning_content: 'Ask the tool.',
      thinking_blocks: [
        { type: 'thinking', thinking: 'Ask the tool.', signature: 'signed' },
        { type: 'redacted_thinking', data: 'AAAA' },
      ],
      tool_calls: [
        { id: 'tooluse_1', function: { name: 'weather', arguments: '{"city":"Cusco"}' } },
      ],
    });
    const result = { role: 'tool', tool_call_id: 'tooluse_1', content: 'sunny' };
    const second = await complete({ messages: [ASKED, first, result], ...options });
    expect(second.choice).toMatchObject({ finish_reason: 'stop' });
    expect(fake.accepted.at(-1)).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', content },
        {
          role: 'user',
          content: [{ toolResult: { toolUseId: 'tooluse_1', content: [{ text: 'sunny' }] } }],
        },
      ],
      toolConfig: { tools: [{ toolSpec: { name: 'weather' } }], toolChoice: { auto: {} } },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1_024 } },
    });
  });

  it('marks what is to be cached behind instructions, tools, parts and results', async () => {
    const cached = { cache_control: { type: 'ephemeral' } };
    const forAnHour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    await rig.complete(
      requestOf({
        model: MODEL,
        tools: [{ ...WEATHER, ...cached }],
        messages: [
          { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...forAnHour }] },
          { role: 'user', content: [{ type: 'text', text: 'Weather?', ...cached }] },
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c1', content: 'Fog.', ...cached },
        ],
      }),
      never,
    );
    const point = { cachePoint: { type: 'default' } };
    expect(fake.accepted.at(-1)).toMatchObject({
      system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default', ttl: '1h' } }],
      messages: [
        { content: [{ text: 'Weather?' }, point] },
        {},
        { content: [{ toolResult: { toolUseId: 'c1' } }, point] },
      ],
      toolConfig: { tools: [{ toolSpec: { name: 'weather' } }, point] },
    });
  });

  it('sends Claude no temperature beside its thinking', async () => {
    await complete({ thinking: { type: 'adaptive' }, temperature: 0.7 });
    expect(fake.accepted.at(-1)).toMatchObject({
      inferenceConfig: {},
      additionalModelRequestFields: { thinking: { type: 'adaptive' } },
    });
    expect(fake.accepted.at(-1)?.inferenceConfig).not.toHaveProperty('temperature');
    await complete({ thinking: { type: 'disabled' }, temperature: 0.7 });
    expect(fake.accepted.at(-1)).toMatchObject({ inferenceConfig: { temperature: 0.7 } });
  });

  it('asks for JSON by a schema, and for an effort', async () => {
    const schema = { type: 'object', additionalProperties: false };
    await complete({
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
      reasoning_effort: 'high',
      tools: [{ ...WEATHER, function: { ...WEATHER.function, strict: true } }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
    });
    expect(fake.accepted.at(-1)).toMatchObject({
      outputConfig: {
        effort: 'high',
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { name: 'n', schema: JSON.stringify(schema) } },
        },
      },
      toolConfig: {
        tools: [{ toolSpec: { strict: true } }],
        toolChoice: { tool: { name: 'weather' } },
      },
    });
  });

  it.each<[string, JsonObject]>([
    ['temperature', { temperature: 1.5 }],
    ['n', { n: 2 }],
    ['seed', { seed: 1 }],
    ['presence_penalty', { presence_penalty: 0.5 }],
    ['parallel_tool_calls', { parallel_tool_calls: false }],
    ['top_k', { model: NOVA, top_k: 5 }],
    ['reasoning.exclude', { reasoning: { exclude: true } }],
    ['response_format', { response_format: { type: 'json_object' } }],
    [
      'tools',
      {
        messages: [
          ASKED,
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'w', arguments: '' } }],
          },
          { role: 'tool', tool_call_id: 'a', content: '' },
        ],
      },
    ],
    [
      'messages[0].tool_calls[0].function.arguments',
      {
        messages: [
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'w', arguments: '[' } }],
          },
        ],
      },
    ],
    [
      'messages[0].content[0].input_audio.data',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
          },
        ],
      },
    ],
  ])('refuses %s by name', async (param, body) => {
    const before = fake.received.length;
    const { kind, details } = await failureOf(complete(body));
    expect(kind).toBe('refused');
    expect(details).toMatchObject({ status: 400, upstreamError: { param } });
    expect(fake.received).toHaveLength(before);
  });

  it.each([
    ['max_tokens', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['stop_sequence', 'stop'],
  ])('reads the reason %s as %s', async (stopReason, finishReason) => {
    fake.reply({ ...TEXT, stopReason });
    expect((await complete()).choice).toMatchObject({ finish_reason: finishReason });
    const { chunks } = await stream();
    expect(joinedDeltas(chunks)).toMatchObject({ finishReason });
  });

  it('names a tool use that the model spoilt', async () => {
    fake.reply({ ...TEXT, stopReason: 'malformed_tool_use' });
    const failure = await failureOf(complete());
    expect(failure).toMatchObject({ kind: 'malformed' });
    expect(failure.message).toContain('malformed_tool_use');
  });

  it.each([
    ['ThrottlingException', {}, { kind: 'overloaded', details: { status: 429 } }],
    ['ModelNotReadyException', {}, { kind: 'overloaded' }],
    ['ServiceUnavailableException', {}, { kind: 'overloaded' }],
    ['InternalServerException', {}, { kind: 'failed', details: { status: 500 } }],
    ['ModelTimeoutException', {}, { kind: 'timed-out' }],
    ['AccessDeniedException', {}, { kind: 'failed', details: { status: 403 } }],
    ['ServiceQuotaExceededException', {}, { kind: 'failed' }],
    ['ModelErrorException', { originalStatusCode: 500 }, { kind: 'failed' }],
    ['ModelErrorException', { originalStatusCode: 400 }, { kind: 'refused' }],
    [
      'ValidationException',
      {},
      { kind: 'refused', details: { upstreamError: { message: 'said so' } } },
    ],
  ])('maps %s %j', async (code, more, expected) => {
    fake.reply(awsError(code, 'said so', more));
    await expect(failureOf(complete())).resolves.toMatchObject(expected);
  });

  it("takes a wrong model for the operator's fault", async () => {
    await expect(failureOf(complete({ model: 'none' }))).resolves.toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['throttlingException', {}, 'broken-off'],
    ['modelStreamErrorException', { originalStatusCode: 500 }, 'broken-off'],
  ])('breaks a stream by %s, with the usage up to there', async (type, more, kind) => {
    const by = exceptionFrame(type, { message: 'failed', ...more });
    fake.reply({ ...TEXT, cut: { after: 2, by } });
    await expect(failureOf(stream())).resolves.toMatchObject({
      kind,
      details: { used: { completionTokens: 1, source: 'counted' } },
    });
    fake.reply({ ...TEXT, cut: { after: 0, by } });
    const before = type === 'throttlingException' ? 'overloaded' : 'failed';
    await expect(failureOf(stream())).resolves.toMatchObject({ kind: before });
  });

  it('breaks a stream whose frame is damaged', async () => {
    const by = exceptionFrame('throttlingException', {});
    by.writeUInt8((by.readUInt8(20) + 1) % 256, 20);
    fake.reply({ ...TEXT, cut: { after: 2, by } });
    await expect(failureOf(stream())).resolves.toMatchObject({ kind: 'malformed' });
  });

  it('takes an API key, and the next identity where AWS rejects one', async () => {
    const withKey = rigWith(keyCredential('aws', { key: 'bedrock-key' }, bearer));
    await expect(complete({}, withKey)).resolves.toMatchObject({ usage: { completionTokens: 5 } });
    await withKey.close();
    for (const wrong of [
      signed({ secretAccessKey: 'x' }),
      signed({ accessKeyId: 'x' }),
      signed({}, 'us-east-1'),
    ]) {
      const two = rigWith(wrong, signed());
      await expect(complete({}, two)).resolves.toMatchObject({ usage: { completionTokens: 5 } });
      await two.close();
      const one = rigWith(wrong);
      await expect(failureOf(complete({}, one))).resolves.toMatchObject({
        kind: 'failed',
        details: { status: 401 },
      });
      await one.close();
    }
  });
});
