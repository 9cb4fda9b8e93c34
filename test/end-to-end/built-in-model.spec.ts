import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '#areas/inference/rigs/upstream.fake.js';
import { encodePng } from '#platform/pictures/png-encoder.js';
import path from 'node:path';
import { startWorld, type World } from './quipu.harness.js';

const NANO = path.resolve(import.meta.dirname, '../../models/nano.gguf');

const catalogOf = (): string => `
rigs:
  - { name: built-in, kind: embedded }
models:
  - { id: quipu/nano, upstream_id: nano, owned_by: quipu, rigs: [built-in], context: 1024,
      max_output: 64, file: ${NANO}, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
meters:
  - { meter: vision_frames, usd: 0.10, per: 1000 }
`;

const CHAT = {
  model: 'quipu/nano',
  messages: [{ role: 'user' as const, content: 'What is Quipu?' }],
  temperature: 0,
};

/** A grey picture with a red square. */
const pictureOf = (): string => {
  const pixels = new Uint8Array(96 * 96 * 3).fill(90);
  for (let y = 30; y < 60; y += 1) {
    for (let x = 2; x < 32; x += 1) pixels.set([220, 40, 40], (y * 96 + x) * 3);
  }
  return encodePng({ width: 96, height: 96, pixels }).toString('base64');
};

const PICTURE = pictureOf();
const DATA_URL = `data:image/png;base64,${PICTURE}`;
const SOURCE = { type: 'base64', media_type: 'image/png', data: PICTURE };
const DESCRIBED = [
  {
    engine: expect.stringMatching(/^embedded:quipu-shapes@/),
    text: 'The picture shows a red square at the middle left.',
  },
];

const weather = (parameters: Record<string, unknown>) => ({
  type: 'function' as const,
  function: { name: 'weather', description: 'the weather of today', parameters },
});

describe('the built-in model', () => {
  let world: World;
  const ask = (body: object) => world.openai.chat.completions.create({ ...CHAT, ...body });

  beforeAll(async () => {
    world = await startWorld([json(500, {})], { catalogOf });
  });

  afterAll(() => world.close());

  it('answers about Quipu in a sentence, metered by its own tokenizer', async () => {
    const answer = await ask({});
    const text = answer.choices[0]?.message.content ?? '';
    expect(text).toMatch(/Quipu/);
    expect(text).toMatch(/[.!?]$/);
    expect(answer.usage?.completion_tokens).toBeGreaterThan(3);
    const last = (await world.events()).at(-1);
    expect(last).toMatchObject({
      type: 'HoldCaptured',
      data: {
        rig: 'built-in',
        usageSource: 'provider',
        lines: [
          { meter: 'input_tokens', quantity: answer.usage?.prompt_tokens },
          { meter: 'output_tokens', quantity: answer.usage?.completion_tokens },
        ],
      },
    });
  });

  it.each([
    ['/v1/messages', {}, 'messages', 'image', { source: SOURCE }],
    ['/v1/messages', { stream: true }, 'messages', 'image', { source: SOURCE }],
    ['/v1/responses', {}, 'input', 'input_image', { image_url: DATA_URL }],
    ['/v1/responses', { stream: true }, 'input', 'input_image', { image_url: DATA_URL }],
  ])('says on %s with %j how it described a picture', async (route, more, field, type, of) => {
    const turns = [{ role: 'user', content: [{ type, ...of }] }];
    const limit = { [route === '/v1/messages' ? 'max_tokens' : 'max_output_tokens']: 16 };
    const response = await fetch(`${world.quipu.url}${route}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.credentials.api_key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: CHAT.model, ...limit, ...more, [field]: turns }),
    });
    expect(response.status).toBe(200);
    const [described] =
      /"described_images":(\[[^\]]*\])/.exec(await response.text())?.slice(1) ?? [];
    expect(JSON.parse(described ?? 'null')).toEqual(DESCRIBED);
  });

  it('gets the words for a picture, says so, and charges the look', async () => {
    const image = {
      type: 'image_url' as const,
      image_url: { url: DATA_URL },
    };
    const question = { type: 'text' as const, text: 'What does it show?' };
    const messages = [{ role: 'user' as const, content: [question, image] }];
    const answer = await ask({ messages, max_tokens: 8 });
    expect(answer).toMatchObject({
      described_images: DESCRIBED,
    });
    expect((await world.events()).at(-1)).toMatchObject({
      type: 'HoldCaptured',
      data: {
        purpose: 'chat_completion',
        lines: [
          { meter: 'input_tokens', quantity: answer.usage?.prompt_tokens },
          { meter: 'output_tokens' },
          { meter: 'vision_frames', quantity: 1, unitPriceMicroUsd: '100000', perUnits: 1_000 },
        ],
      },
    });
  });

  it('counts a message exactly, with its tools, and charges nothing', async () => {
    const anthropic = new Anthropic({
      baseURL: world.quipu.url,
      apiKey: world.credentials.api_key,
      maxRetries: 0,
    });
    const { model, messages } = CHAT;
    const tools = [{ name: 'weather', input_schema: { type: 'object' as const } }];
    for (const asked of [
      { model, messages },
      { model, messages, tools },
    ]) {
      const before = await world.events();
      const { input_tokens: counted } = await anthropic.messages.countTokens(asked);
      expect(await world.events()).toHaveLength(before.length);
      const { usage } = await anthropic.messages.create({ ...asked, max_tokens: 4 });
      expect(counted).toBe(usage.input_tokens);
    }
  });

  it('counts no body that is too large, before it reads it', async () => {
    const headers = { 'content-type': 'application/json', 'x-api-key': world.credentials.api_key };
    const sent = { method: 'POST', headers };
    const address = `${world.quipu.url}/v1/messages/count_tokens`;
    const body = `{"pad":"${'x'.repeat(1_048_576)}"}`;
    expect((await fetch(address, { ...sent, body })).status).toBe(413);
    expect((await fetch(address, { ...sent, body: '{' })).status).toBe(400);
  });

  it('stops at a stop string', async () => {
    const cut = await ask({ max_tokens: 3 });
    expect(cut.choices[0]?.finish_reason).toBe('length');
    expect(cut.usage?.completion_tokens).toBe(3);
    const whole = (await ask({})).choices[0]?.message.content ?? '';
    const [first = ''] = whole.split(' ').slice(2);
    const stopped = await ask({ stop: [first] });
    expect(stopped.choices[0]?.message.content).toBe(whole.slice(0, whole.indexOf(first)));
  });

  it('gives the same answer with the same seed', async () => {
    const drawn = () => ask({ temperature: 1, seed: 11, max_tokens: 20 });
    const [one, two] = [await drawn(), await drawn()];
    expect(one.choices[0]?.message.content).toBe(two.choices[0]?.message.content);
  });

  it('rejects unsupported parameters by name', async () => {
    const param = 'logit_bias';
    await expect(ask({ [param]: { 7: 1 } })).rejects.toMatchObject({ status: 400, param });
    const pattern = { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } };
    await expect(ask({ tools: [weather(pattern)] })).rejects.toMatchObject({
      status: 400,
      param: 'tools[0].function.parameters',
    });
  });

  it('gives several choices for one prompt, charged together', async () => {
    const drawn = { temperature: 1.2, seed: 11, max_tokens: 20 };
    const { choices, usage } = await ask({ ...drawn, n: 3 });
    const alone = await Promise.all([11, 12, 13].map((seed) => ask({ ...drawn, seed })));
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual(
      alone.map((answer, index) => [index, answer.choices[0]?.message.content]),
    );
    const tokens = alone.map((answer) => answer.usage?.completion_tokens ?? NaN);
    expect(usage).toMatchObject({
      prompt_tokens: alone[0]?.usage?.prompt_tokens,
      completion_tokens: tokens.reduce((sum, one) => sum + one, 0),
    });
    const streamed = world.openai.chat.completions.stream({
      ...CHAT,
      ...drawn,
      n: 3,
      stream_options: { include_usage: true },
    });
    const whole = await streamed.finalChatCompletion();
    expect(whole.choices.map(({ message }) => message.content)).toEqual(
      choices.map(({ message }) => message.content),
    );
    expect(whole.usage).toEqual(usage);
    expect((await world.events()).at(-1)).toMatchObject({
      data: { lines: [{}, { meter: 'output_tokens', quantity: usage?.completion_tokens }] },
    });
  });

  it('rates the tokens of an answer', async () => {
    const { choices } = await ask({ logprobs: true, top_logprobs: 3 });
    const [{ message, logprobs } = { message: { content: '' }, logprobs: null }] = choices;
    const tokens = logprobs?.content ?? [];
    expect(tokens.map(({ token }) => token).join('')).toBe(message.content);
    for (const { token, logprob, bytes, top_logprobs: top } of tokens) {
      expect(bytes).toEqual([...Buffer.from(token)]);
      expect(top).toHaveLength(3);
      // At temperature 0 the likeliest token is taken.
      expect(top[0]).toEqual({ token, logprob, bytes });
    }
  });

  describe('and its tools', () => {
    const schema = { type: 'object', properties: { unit: { enum: ['celsius', 'kelvin'] } } };
    const tools = [weather(schema)];

    it('calls one, whole and streamed, and reads its answer', async () => {
      const asked = { tools, tool_choice: 'required', parallel_tool_calls: false };
      const answer = await ask(asked);
      const [{ message, finish_reason: reason } = { message: null, finish_reason: null }] =
        answer.choices;
      expect(reason).toBe('tool_calls');
      expect(message?.content).toBeNull();
      const [call] = message?.tool_calls ?? [];
      if (call?.type !== 'function') throw new Error('it called no function');
      expect(call.function.name).toBe('weather');
      expect(JSON.parse(call.function.arguments)).toEqual({
        unit: expect.stringMatching(/^(celsius|kelvin)$/),
      });

      const streamed = world.openai.chat.completions.stream({
        ...CHAT,
        tools,
        tool_choice: 'required',
      });
      const { choices } = await streamed.finalChatCompletion();
      expect(choices[0]?.finish_reason).toBe('tool_calls');
      expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { ...call.function } }]);

      const read = await ask({
        messages: [
          ...CHAT.messages,
          message,
          { role: 'tool', tool_call_id: call.id, content: 'It is warm.' },
        ],
        tools,
      });
      expect(read.usage?.prompt_tokens).toBeGreaterThan(answer.usage?.prompt_tokens ?? Infinity);
      expect(read.choices[0]?.finish_reason).toMatch(/^(stop|length)$/);
    });

    it('need not call any, and cannot when it must not', async () => {
      const free = await ask({ tools });
      expect(free.choices[0]?.message.tool_calls).toBeUndefined();
      const none = await ask({ tools, tool_choice: 'none' });
      expect(none.choices[0]?.message.content).toBe((await ask({})).choices[0]?.message.content);
    });

    it('are in the prompt that is held for', async () => {
      const answer = await ask({ tools });
      const held = (await world.events()).findLast(({ type }) => type === 'HoldPlaced');
      const [input] = (held?.data as { lines: { quantity: number }[] }).lines;
      expect(input?.quantity).toBeGreaterThanOrEqual(answer.usage?.prompt_tokens ?? Infinity);
    });
  });

  it('streams the same answer', async () => {
    const whole = (await ask({})).choices[0]?.message.content;
    const stream = await world.openai.chat.completions.create({
      ...CHAT,
      stream: true,
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(whole);
  });
});
