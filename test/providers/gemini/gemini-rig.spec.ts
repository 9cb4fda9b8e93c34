import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type JsonObject, RigError } from '#areas/inference/rigs/chat-backend.js';
import { keyCredential } from '#areas/inference/rigs/dialects/credentials.js';
import { geminiDialect } from '#areas/inference/rigs/dialects/gemini/gemini.dialect.js';
import { type RigBackend } from '#areas/inference/rigs/embedding-backend.js';
import { createHttpRig } from '#areas/inference/rigs/http-rig.js';
import { drain, never, requestOf } from '#areas/inference/rigs/upstream.fake.js';
import { joinedDeltas } from '../joined-deltas.fixture.js';
import {
  chunkOf,
  exhausted,
  type GeminiFake,
  googleError,
  replyOf,
  startGemini,
} from './gemini.fake.js';

const MODEL = 'gemini-3.8-flash';
const OLD = 'gemini-2.5-flash';
const USAGE = { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 };
const PNG = 'iVBORw0KGgo=';
const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      additionalProperties: false,
    },
  },
};
const ASKED = { role: 'user', content: 'Weather in Cusco and Lima?' };

describe('a rig of the Gemini API', () => {
  let fake: GeminiFake;
  let rig: RigBackend;

  const rigWith = (...keys: readonly string[]): RigBackend =>
    createHttpRig({
      name: 'google',
      baseUrl: `${fake.url}/v1beta`,
      dialect: geminiDialect(),
      credentials: keys.map((key) =>
        keyCredential('google', { key }, (value) => ({ 'x-goog-api-key': value })),
      ),
      maxConcurrency: 4,
    });

  beforeAll(async () => {
    const models = { [MODEL]: { needsSignatures: true }, [OLD]: { needsSignatures: false } };
    fake = await startGemini(models, ['good']);
    rig = rigWith('good');
  });

  beforeEach(() => {
    fake.reply(replyOf([{ text: 'A ' }, { text: 'quipu' }], USAGE));
  });

  afterAll(async () => {
    await rig.close();
    await fake.close();
  });

  const complete = async (body: JsonObject = {}) => {
    const { completion, usage } = await rig.complete(requestOf({ model: MODEL, ...body }), never);
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

  it('has the probabilities of tokens, whole and as a stream', async () => {
    const chosenCandidates = [{ token: 'é', tokenId: 1, logProbability: -0.5 }];
    const others = [...chosenCandidates, { token: 'a', tokenId: 2, logProbability: -2 }];
    const result = { chosenCandidates, topCandidates: [{ candidates: others }] };
    fake.reply({
      chunks: [chunkOf([{ text: 'é' }], USAGE, { finishReason: 'STOP', logprobsResult: result })],
    });
    const top = { token: 'é', logprob: -0.5, bytes: [195, 169] };
    const logprobs = {
      content: [{ ...top, top_logprobs: [top, { token: 'a', logprob: -2, bytes: [97] }] }],
      refusal: null,
    };
    const { choice } = await complete({ logprobs: true, top_logprobs: 2 });
    expect(fake.accepted.at(-1)?.generationConfig).toMatchObject({
      responseLogprobs: true,
      logprobs: 2,
    });
    expect(choice?.['logprobs']).toEqual(logprobs);
    const { chunks } = await stream({ logprobs: true });
    const choices = chunks.flatMap((chunk) => chunk['choices'] as readonly JsonObject[]);
    expect(choices.flatMap((one) => one['logprobs'] ?? [])).toEqual([logprobs]);
  });

  it('translates a chat and its answer', async () => {
    const { completion, choice, message, usage } = await complete({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
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
      stop: ['END'],
      seed: 7,
    });
    expect(fake.accepted.at(-1)).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [{ text: 'Hi' }] },
        {
          role: 'user',
          parts: [{ text: 'What is this?' }, { inlineData: { mimeType: 'image/png', data: PNG } }],
        },
      ],
      generationConfig: {
        maxOutputTokens: 100,
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        stopSequences: ['END'],
        seed: 7,
      },
    });
    expect(choice).toMatchObject({ index: 0, finish_reason: 'stop' });
    expect(message).toEqual({ role: 'assistant', content: 'A quipu', refusal: null });
    expect(completion['usage']).toEqual({
      prompt_tokens: 9,
      completion_tokens: 3,
      total_tokens: 12,
    });
    expect(usage).toEqual({ promptTokens: 9, completionTokens: 3, source: 'provider' });
  });

  it('streams, with usage when it is asked for', async () => {
    const { chunks, usage } = await stream({ stream_options: { include_usage: true } });
    expect(joinedDeltas(chunks)).toMatchObject({ content: 'A quipu', finishReason: 'stop' });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 12 } });
    expect(usage).toEqual({ promptTokens: 9, completionTokens: 3, source: 'provider' });
    expect(chunks.slice(0, -1).some((chunk) => 'usage' in chunk)).toBe(false);
  });

  it.each(['whole', 'stream'])('keeps signatures over two turns with tools (%s)', async (mode) => {
    const calls = [
      { functionCall: { name: 'weather', args: { city: 'Cusco' } }, thoughtSignature: 'c2ln' },
      { functionCall: { name: 'weather', args: { city: 'Lima' }, id: 'call-2' } },
    ];
    const usage = { ...USAGE, thoughtsTokenCount: 20, totalTokenCount: 32 };
    fake.reply(
      replyOf(
        [{ text: 'Two ', thought: true }, { text: 'calls.', thought: true }, ...calls],
        usage,
      ),
      replyOf([{ text: 'Sunny', thoughtSignature: 'dGV4dA==' }], USAGE),
    );
    const options = { tools: [WEATHER], tool_choice: 'required', reasoning_effort: 'low' };
    const body = { messages: [ASKED], ...options };
    const first =
      mode === 'whole'
        ? (await complete(body)).message
        : joinedDeltas((await stream(body)).chunks).message;
    expect(first).toMatchObject({
      content: null,
      reasoning_content: 'Two calls.',
      tool_calls: [
        { type: 'function', function: { name: 'weather', arguments: '{"city":"Cusco"}' } },
        { id: 'call-2', function: { arguments: '{"city":"Lima"}' } },
      ],
    });
    expect(fake.accepted.at(-1)).toMatchObject({
      tools: [{ functionDeclarations: [{ parametersJsonSchema: WEATHER.function.parameters }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } },
    });
    const ids = (first['tool_calls'] as readonly { id: string }[]).map(({ id }) => id);
    const results = ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'sunny' }));
    const second = await complete({ messages: [ASKED, first, ...results], ...options });
    expect(second.message).toMatchObject({
      content: 'Sunny',
      extra_content: { google: { thought_signature: 'dGV4dA==' } },
    });
    expect(fake.accepted.at(-1)?.contents.slice(1)).toEqual([
      { role: 'model', parts: calls },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'weather', response: { output: 'sunny' } } },
          { functionResponse: { name: 'weather', id: 'call-2', response: { output: 'sunny' } } },
        ],
      },
    ]);
  });

  it('takes the calls of another model, which have no signatures', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    await complete({
      messages: [
        ASKED,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"sky":"clear"}' },
      ],
      tools: [WEATHER],
    });
    expect(fake.accepted.at(-1)?.contents[2]?.parts).toEqual([
      { functionResponse: { name: 'weather', id: 'call_1', response: { sky: 'clear' } } },
    ]);
  });

  it('asks for JSON, tiers, searches and several candidates', async () => {
    const grounded = { groundingMetadata: { webSearchQueries: ['a', 'b'] } };
    fake.reply({
      chunks: [chunkOf([{ text: '{}' }], USAGE, { finishReason: 'STOP', ...grounded })],
      headers: { 'x-gemini-service-tier': 'flex' },
    });
    const schema = { type: 'object', additionalProperties: false };
    const { usage } = await complete({
      response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema } },
      service_tier: 'flex',
      web_search_options: {},
      n: 2,
    });
    expect(usage).toMatchObject({ serviceTier: 'flex', searches: 2 });
    expect(fake.accepted.at(-1)).toMatchObject({
      serviceTier: 'flex',
      tools: [{ googleSearch: {} }],
      generationConfig: {
        candidateCount: 2,
        responseMimeType: 'application/json',
        responseJsonSchema: schema,
      },
    });
    const streamed = await stream({ web_search_options: {} });
    expect(streamed.usage).toMatchObject({ serviceTier: 'flex', searches: 2 });
  });

  it('charges the standard tier where priority was not given', async () => {
    const [chunk = {}] = replyOf([{ text: 'A' }], USAGE).chunks;
    fake.reply({ chunks: [chunk], headers: { 'x-gemini-service-tier': 'standard' } });
    expect((await complete({ service_tier: 'priority' })).usage).not.toHaveProperty('serviceTier');
  });

  it.each([
    ['low', { thinkingBudget: 1_024, includeThoughts: true }],
    ['none', { thinkingBudget: 0, includeThoughts: false }],
  ])('gives an older model the budget of the effort %s', async (effort, thinkingConfig) => {
    await complete({ model: OLD, reasoning_effort: effort });
    expect(fake.accepted.at(-1)?.generationConfig).toMatchObject({ thinkingConfig });
  });

  it.each<[string, JsonObject]>([
    ['logit_bias', { logit_bias: { 1: 1 } }],
    ['parallel_tool_calls', { parallel_tool_calls: false }],
    ['reasoning_effort', { reasoning_effort: 'none' }],
    ['n', { n: 9 }],
    ['stop', { stop: ['1', '2', '3', '4', '5', '6'] }],
    ['tools[0].type', { tools: [{ type: 'custom' }] }],
    ['response_format', { response_format: { type: 'grammar' } }],
    ['unknown_field', { unknown_field: 1 }],
    [
      'messages[0].content[0].image_url.url',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
          },
        ],
      },
    ],
    ['messages[0].tool_call_id', { messages: [{ role: 'tool', tool_call_id: 'x', content: '' }] }],
  ])('refuses %s by name', async (param, body) => {
    const before = fake.received.length;
    const { kind, details } = await failureOf(complete(body));
    expect(kind).toBe('refused');
    expect(details).toMatchObject({ status: 400, upstreamError: { param } });
    expect(fake.received).toHaveLength(before);
  });

  it.each([
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
  ])('reads the reason %s as %s', async (reason, finishReason) => {
    fake.reply(replyOf([{ text: 'A' }], USAGE, reason));
    expect((await complete()).choice).toMatchObject({ finish_reason: finishReason });
  });

  it('says that a prompt was blocked, and charges the prompt', async () => {
    const usageMetadata = { promptTokenCount: 9, totalTokenCount: 9 };
    const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata };
    fake.reply({ chunks: [blocked] });
    const { choice, message, usage } = await complete();
    expect(choice).toMatchObject({ finish_reason: 'content_filter' });
    expect(message['refusal']).toContain('PROHIBITED_CONTENT');
    expect(usage).toMatchObject({ promptTokens: 9, completionTokens: 0 });
    const { chunks } = await stream();
    expect(joinedDeltas(chunks)).toMatchObject({ finishReason: 'content_filter' });
  });

  it('names a call that the model spoilt', async () => {
    fake.reply(replyOf([{ text: '' }], USAGE, 'MALFORMED_FUNCTION_CALL'));
    const failure = await failureOf(complete());
    expect(failure).toMatchObject({ kind: 'malformed' });
    expect(failure.message).toContain('MALFORMED_FUNCTION_CALL');
  });

  it.each([
    [exhausted('7s'), { kind: 'overloaded', details: { status: 429, retryAfterMs: 7_000 } }],
    [googleError(503, 'UNAVAILABLE', 'overloaded'), { kind: 'overloaded' }],
    [googleError(500, 'INTERNAL', 'broken'), { kind: 'failed', details: { status: 500 } }],
    [googleError(504, 'DEADLINE_EXCEEDED', 'late'), { kind: 'timed-out' }],
    [googleError(400, 'FAILED_PRECONDITION', 'no billing'), { kind: 'failed' }],
    [googleError(403, 'PERMISSION_DENIED', 'no'), { kind: 'failed', details: { status: 403 } }],
    [
      googleError(400, 'INVALID_ARGUMENT', 'The input is too long.'),
      { kind: 'refused', details: { upstreamError: { message: 'The input is too long.' } } },
    ],
    [
      googleError(429, 'RESOURCE_EXHAUSTED', 'quota', [
        { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }] },
      ]),
      { kind: 'failed' },
    ],
  ])('maps an error %#', async (rejection, expected) => {
    fake.reply(rejection);
    await expect(failureOf(complete())).resolves.toMatchObject(expected);
  });

  it('asks with the next key where one is wrong, although Gemini says 400', async () => {
    const other = rigWith('wrong', 'good');
    const request = requestOf({ model: MODEL });
    await expect(other.complete(request, never)).resolves.toMatchObject({
      usage: { completionTokens: 3 },
    });
    await other.close();
    const only = rigWith('wrong');
    await expect(failureOf(only.complete(request, never))).resolves.toMatchObject({
      kind: 'failed',
      details: { status: 401 },
    });
    await only.close();
  });

  it('fails a stream that breaks, with the usage up to there', async () => {
    const [first = {}] = replyOf([{ text: 'A ' }, { text: 'B' }], USAGE).chunks;
    const error = googleError(503, 'UNAVAILABLE', 'overloaded').body as JsonObject;
    fake.reply({ chunks: [first, error] });
    const failure = await failureOf(stream());
    expect(failure).toMatchObject({
      kind: 'broken-off',
      details: { used: { completionTokens: 1, source: 'counted' } },
    });
    fake.reply({ chunks: [first], ending: 'destroy' });
    await expect(failureOf(stream())).resolves.toMatchObject({ kind: 'broken-off' });
  });
});
