import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { awsError, type BedrockFake, startBedrock } from '../providers/bedrock/bedrock.fake.js';
import {
  exhausted,
  type GeminiFake,
  googleError,
  replyOf,
  startGemini,
  startVertex,
} from '../providers/gemini/gemini.fake.js';
import { type Part } from '../providers/gemini/gemini.schema.js';
import { startTokenEndpoint, type TokenEndpoint } from '../providers/gemini/token-endpoint.fake.js';
import { type Rejection } from '../providers/provider-server.js';
import { eventsOf, startWorld, type World } from './quipu.harness.js';

const REGION = 'eu-central-1';
const PLACE = { project: 'acme-test', location: 'europe-west4' };
const GEMINI = 'gemini-3.8-flash';
const PROFILE = 'inference-profile/eu.anthropic.claude-opus-5-5';
const CLAUDE = `arn:aws:bedrock:${REGION}:123456789012:${PROFILE}`;
const AWS = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' };
const PNG = 'iVBORw0KGgo=';

/** 2 USD for a million tokens of input, 10 of output and of thoughts, 0.20 of cached input. */
const PRICE = `{ input_usd_per_mtok: 2, output_usd_per_mtok: 10, cache_read_usd_per_mtok: 0.20,
      cache_write_5m_usd_per_mtok: 2.50, cache_write_1h_usd_per_mtok: 4 }`;

type Kind = 'gemini' | 'vertex' | 'bedrock';

/** What a model says, whatever the kind of its provider. */
interface Say {
  readonly text?: string;
  readonly thought?: string;
  readonly call?: { readonly name: string; readonly input: Record<string, unknown> };
}

/** 1,000 tokens of prompt of which 700 were cached, 40 of output; 30 more of thoughts of Gemini. */
const GEMINI_USAGE = {
  promptTokenCount: 1_000,
  cachedContentTokenCount: 700,
  candidatesTokenCount: 40,
  thoughtsTokenCount: 30,
  totalTokenCount: 1_070,
};
/** 300 fresh tokens, 700 cached, 200 written for an hour, 40 of output. */
const CONVERSE_USAGE = {
  inputTokens: 300,
  cacheReadInputTokens: 700,
  cacheWriteInputTokens: 200,
  cacheDetails: [{ ttl: '1h', inputTokens: 200 }],
  outputTokens: 40,
  totalTokens: 1_240,
};

/** In micro-dollars, by hand. */
const CHARGES = {
  gemini: 300 * 2 + 700 * 0.2 + 40 * 10 + 30 * 10,
  vertex: 300 * 2 + 700 * 0.2 + 40 * 10 + 30 * 10,
  bedrock: 300 * 2 + 700 * 0.2 + 200 * 4 + 40 * 10,
};

const geminiReply = ({ text, thought, call }: Say) =>
  replyOf(
    [
      ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
      ...(text === undefined ? [] : halvesOf(text)),
      ...(call
        ? [{ functionCall: { name: call.name, args: call.input }, thoughtSignature: 'c2lnbmVk' }]
        : []),
    ],
    GEMINI_USAGE,
  );

const halvesOf = (text: string): readonly Part[] => [
  { text: text.slice(0, 3) },
  { text: text.slice(3) },
];

const converseReply = ({ text, thought, call }: Say) => ({
  content: [
    ...(thought === undefined
      ? []
      : [{ reasoningContent: { reasoningText: { text: thought, signature: 'signed' } } }]),
    ...(text === undefined ? [] : [{ text }]),
    ...(call ? [{ toolUse: { toolUseId: 'tooluse_1', ...call } }] : []),
  ],
  stopReason: call ? 'tool_use' : 'end_turn',
  usage: CONVERSE_USAGE,
});

const TOOL = {
  type: 'function' as const,
  function: {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      additionalProperties: false,
    },
  },
};

describe('chats by the clouds of Google and Amazon', () => {
  let world: World;
  let folder: string;
  let tokens: TokenEndpoint;
  let google: GeminiFake;
  let vertex: GeminiFake;
  let bedrock: BedrockFake;
  let anthropic: Anthropic;

  beforeAll(async () => {
    tokens = await startTokenEndpoint();
    google = await startGemini({ [GEMINI]: { needsSignatures: true } }, ['google-key']);
    vertex = await startVertex({ [GEMINI]: { needsSignatures: true } }, PLACE, tokens);
    bedrock = await startBedrock({ region: REGION, models: [CLAUDE], credentials: [AWS] });
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-keys-'));
    const files = {
      'google.key': 'google-key\n',
      'account.json': JSON.stringify(tokens.account),
      'aws.id': AWS.accessKeyId,
      'aws.secret': AWS.secretAccessKey,
    };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(path.join(folder, name), text);
    }
    world = await startWorld([], { catalogOf });
    anthropic = new Anthropic({
      baseURL: world.quipu.url,
      apiKey: world.credentials.api_key,
      maxRetries: 0,
    });
  });

  afterAll(async () => {
    await world.close();
    for (const server of [google, vertex, bedrock, tokens]) await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const catalogOf = () => `
rigs:
  - { name: google, kind: gemini, base_url: '${google.url}/v1beta',
      api_keys: [{ file: '${folder}/google.key' }] }
  - { name: vertex, kind: vertex, base_url: '${vertex.url}/v1', project: ${PLACE.project},
      location: ${PLACE.location}, api_keys: [{ file: '${folder}/account.json' }] }
  - { name: aws, kind: bedrock, base_url: '${bedrock.url}', aws_region: ${REGION},
      identities: [{ access_key_id: { file: '${folder}/aws.id' },
                     secret_access_key: { file: '${folder}/aws.secret' } }] }
models:
  - { id: acme/gemini, upstream_id: ${GEMINI}, owned_by: google, rigs: [google], context: 8192,
      max_output: 2000, price: ${PRICE} }
  - { id: acme/vertex, upstream_id: ${GEMINI}, owned_by: google, rigs: [vertex], context: 8192,
      max_output: 2000, price: ${PRICE} }
  - { id: acme/bedrock, upstream_id: '${CLAUDE}', owned_by: anthropic, rigs: [aws], context: 8192,
      max_output: 2000, price: ${PRICE} }
`;

  const says = (kind: Kind, ...replies: readonly (Say | Rejection)[]): void => {
    const isError = (reply: Say | Rejection): reply is Rejection => reply instanceof Error;
    if (kind === 'bedrock') {
      bedrock.reply(...replies.map((one) => (isError(one) ? one : converseReply(one))));
      return;
    }
    const fake = kind === 'gemini' ? google : vertex;
    fake.reply(...replies.map((one) => (isError(one) ? one : geminiReply(one))));
  };
  const acceptedBy = (kind: Kind): string => {
    const fakes = { gemini: google, vertex, bedrock };
    return JSON.stringify(fakes[kind].accepted.at(-1));
  };
  const asking = (kind: Kind, content: string, more: object = {}) => ({
    model: `acme/${kind}`,
    messages: [{ role: 'user' as const, content: `${content} ${'x'.repeat(1_500)}` }],
    max_tokens: 1_500,
    ...more,
  });
  const chargeOf = async (requestId: string | null): Promise<unknown> => {
    const events = eventsOf(await world.events(), requestId);
    const captured = events.find(({ type }) => type === 'HoldCaptured');
    return (captured?.data as { amountMicroUsd?: unknown } | undefined)?.amountMicroUsd;
  };

  const KINDS: readonly Kind[] = ['gemini', 'vertex', 'bedrock'];

  it.each(KINDS)('%s: an answer costs each class of its tokens its price', async (kind) => {
    says(kind, { text: 'A quipu' });
    const { data, response } = await world.openai.chat.completions
      .create(asking(kind, 'Hello'))
      .withResponse();
    expect(data.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'A quipu' },
    });
    expect(data.usage?.prompt_tokens_details).toMatchObject({ cached_tokens: 700 });
    const charge = await chargeOf(response.headers.get('x-request-id'));
    expect(charge).toBe(String(CHARGES[kind]));
  });

  it.each(KINDS)('%s: a stream costs the same', async (kind) => {
    says(kind, { text: 'A quipu', thought: 'Cords.' });
    const { data, response } = await world.openai.chat.completions
      .create({ ...asking(kind, 'Hello'), stream: true, stream_options: { include_usage: true } })
      .withResponse();
    const chunks = await Array.fromAsync(data);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('A quipu');
    expect(chunks.at(-1)?.usage?.prompt_tokens_details).toMatchObject({ cached_tokens: 700 });
    const charge = await chargeOf(response.headers.get('x-request-id'));
    expect(charge).toBe(String(CHARGES[kind]));
  });

  it.each(KINDS)('%s: tools and thoughts over two turns', async (kind) => {
    const call = { name: 'weather', input: { city: 'Cusco' } };
    says(kind, { thought: 'Ask the tool.', call }, { text: 'Sunny' });
    // The field of Claude's own interface is none of OpenAI's.
    const thinking: object = { thinking: THINKING };
    const more = kind === 'bedrock' ? thinking : { reasoning_effort: 'low' as const };
    const body = { ...asking(kind, 'Weather?'), tools: [TOOL], ...more };
    const first = await world.openai.chat.completions.create(body);
    const answer = first.choices[0]?.message;
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    expect(answer).toMatchObject({ reasoning_content: 'Ask the tool.' });
    const [toolCall] = answer?.tool_calls ?? [];
    if (!answer || toolCall?.type !== 'function') throw new Error('expected a call of a function');
    expect(JSON.parse(toolCall.function.arguments)).toEqual({ city: 'Cusco' });
    const result = { role: 'tool' as const, tool_call_id: toolCall.id, content: 'sunny' };
    const messages = [...body.messages, answer, result];
    // The fakes verify the signatures.
    const second = await world.openai.chat.completions.create({ ...body, messages });
    expect(second.choices[0]?.message.content).toBe('Sunny');
    expect(acceptedBy(kind)).toContain(kind === 'bedrock' ? '"signature":"signed"' : 'c2lnbmVk');
  });

  it.each(KINDS)('%s: a picture and an answer by a schema', async (kind) => {
    says(kind, { text: '{"city":"Cusco"}' });
    const image = {
      type: 'image_url' as const,
      image_url: { url: `data:image/png;base64,${PNG}` },
    };
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const { choices } = await world.openai.chat.completions.create({
      model: `acme/${kind}`,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Where?' }, image] }],
      max_completion_tokens: 100,
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
    });
    expect(choices[0]?.message.content).toBe('{"city":"Cusco"}');
    expect(acceptedBy(kind)).toContain(PNG);
    expect(acceptedBy(kind)).toContain('city');
  });

  it.each(KINDS)("%s: Anthropic's client, whole and as a stream", async (kind) => {
    const call = { name: 'weather', input: { city: 'Lima' } };
    says(kind, { call }, { text: 'A quipu' });
    const body = {
      model: `acme/${kind}`,
      max_tokens: 1_500,
      system: 'Be brief.',
      messages: [{ role: 'user' as const, content: `Hello ${'x'.repeat(1_500)}` }],
    };
    const tools = [{ name: 'weather', input_schema: { type: 'object' as const } }];
    const message = await anthropic.messages.create({ ...body, tools });
    expect(message).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', name: 'weather', input: { city: 'Lima' } }],
      usage: { cache_read_input_tokens: 700 },
    });
    const tool_use_id = message.content.find((block) => block.type === 'tool_use')?.id ?? '';
    const final = await anthropic.messages
      .stream({
        ...body,
        tools,
        messages: [
          ...body.messages,
          { role: 'assistant', content: message.content },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id, content: 'sunny' }] },
        ],
      })
      .finalMessage();
    expect(final).toMatchObject({
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'A quipu' }],
    });
    expect(acceptedBy(kind)).toContain('Be brief.');
  });

  it.each(KINDS)('%s: a field without a translation is refused by name, free', async (kind) => {
    says(kind, { text: 'A quipu' });
    const asked = asking(kind, 'Hello', { parallel_tool_calls: false, tools: [TOOL] });
    const error = await errorOf(world.openai.chat.completions.create(asked));
    expect(error).toMatchObject({ status: 400, param: 'parallel_tool_calls' });
    await expect(chargeOf(error.requestID ?? null)).resolves.toBeUndefined();
  });

  // An exhausted model pauses, so it comes last.
  it.each<[Kind, number, string, Rejection]>([
    ['gemini', 400, 'invalid', googleError(400, 'INVALID_ARGUMENT', 'The input is too long.')],
    ['gemini', 502, 'forbidden', googleError(403, 'PERMISSION_DENIED', 'no')],
    ['gemini', 429, 'exhausted', exhausted('60s')],
    ['vertex', 502, 'broken', googleError(500, 'INTERNAL', 'broken')],
    ['bedrock', 400, 'invalid', awsError('ValidationException', 'The input is too long.')],
    ['bedrock', 502, 'forbidden', awsError('AccessDeniedException', 'no')],
    ['bedrock', 429, 'throttled', awsError('ThrottlingException', 'slow down')],
  ])('%s: a caller sees %s where the provider says %s', async (kind, status, _, rejection) => {
    says(kind, rejection);
    const error = await errorOf(world.openai.chat.completions.create(asking(kind, 'Hello')));
    expect(error).toMatchObject({ status });
    await expect(chargeOf(error.requestID ?? null)).resolves.toBeUndefined();
  });

  const errorOf = async (work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> => {
    const error: unknown = await work.then(
      () => null,
      (cause: unknown) => cause,
    );
    if (error instanceof OpenAI.APIError) return error;
    throw new Error(`expected an error of the API, got ${String(error)}`);
  };
});

const THINKING = { type: 'enabled', budget_tokens: 1_024 };
