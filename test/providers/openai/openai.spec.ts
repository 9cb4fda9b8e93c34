import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI, { APIError } from 'openai';
import { KEY, openAiError, type OpenAiFake, startOpenAiFake } from './openai.fake.js';

const MODEL = 'gpt-4.1';
const REASONING = 'gpt-6-sol';
const LONG = 'A quipu is a record of knots. '.repeat(400);
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Lima"}' },
} as const;
const TOOL = { type: 'function', function: { name: 'weather', parameters: {} } } as const;
const user = (content: string) => ({ role: 'user', content }) as const;

describe("OpenAI's fake, called by its SDK", () => {
  let fake: OpenAiFake;
  let openai: OpenAI;

  beforeAll(async () => {
    fake = await startOpenAiFake();
    openai = new OpenAI({ apiKey: KEY, baseURL: fake.baseUrl, maxRetries: 0 });
  });

  beforeEach(() => fake.reply({ message: { content: 'Knots keep accounts.' } }));

  afterAll(() => fake.close());

  const errorOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (cause: unknown) => cause,
    );

  it('answers in one piece, with its usage', async () => {
    const { choices, usage, model } = await openai.chat.completions.create({
      model: MODEL,
      messages: [user('Hello')],
    });
    expect(choices[0]?.message.content).toBe('Knots keep accounts.');
    expect(model).toBe('gpt-4.1-2026-10-01');
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
  });

  it('streams the same answer in parts, and its usage where that is asked for', async () => {
    const stream = openai.chat.completions.stream({
      model: MODEL,
      messages: [user('Hello')],
      stream_options: { include_usage: true },
    });
    expect(await stream.finalContent()).toBe('Knots keep accounts.');
    expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: expect.any(Number) });
  });

  it('calls tools, whole and as a stream, and takes their results', async () => {
    fake.reply({ message: { content: null, tool_calls: [CALL] }, finishReason: 'tool_calls' });
    const asked = { model: MODEL, messages: [user('Fog?')], tools: [TOOL] };
    const { choices } = await openai.chat.completions.create(asked);
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [CALL] },
    });
    const result = { role: 'tool', tool_call_id: 'call_1', content: 'Fog.' } as const;
    const called = { role: 'assistant' as const, tool_calls: [CALL] };
    const turns = [user('Fog?'), called, result];
    await openai.chat.completions.create({ ...asked, messages: turns });
    expect(fake.accepted.at(-1)?.messages).toEqual(turns);
  });

  it('caches the prefix of a long prompt', async () => {
    const messages = [user(LONG)];
    await openai.chat.completions.create({ model: MODEL, messages });
    const { usage } = await openai.chat.completions.create({ model: MODEL, messages });
    expect(usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(1_024);
  });

  it('answers a response, whole and as a stream', async () => {
    const asked = { model: MODEL, input: 'Hello', store: false };
    const { output_text: text } = await openai.responses.create(asked);
    expect(text).toBe('Knots keep accounts.');
    const whole = await openai.responses.stream(asked).finalResponse();
    expect(whole.output_text).toBe('Knots keep accounts.');
  });

  it('makes embeddings, and lists its models', async () => {
    const input = ['one', 'two'];
    const { data } = await openai.embeddings.create({ model: 'text-embedding-3-small', input });
    expect(data.map(({ index }) => index)).toEqual([0, 1]);
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    expect(ids).toContain(MODEL);
  });

  it.each<[string, number, string | null, object]>([
    ['an unknown field', 400, 'unknown_parameter', { routing_mode: 'auto' }],
    ['an unknown model', 404, 'model_not_found', { model: 'gpt-0' }],
    [
      'both bounds',
      400,
      'invalid_parameter_combination',
      { max_tokens: 1, max_completion_tokens: 1 },
    ],
    ['options without a stream', 400, null, { stream_options: { include_usage: true } }],
    ['a temperature of reasoning', 400, 'unsupported_value', { model: REASONING, temperature: 0 }],
    [
      'an old bound of reasoning',
      400,
      'unsupported_parameter',
      { model: REASONING, max_tokens: 5 },
    ],
    [
      'a call without its result',
      400,
      null,
      { messages: [{ role: 'assistant', tool_calls: [CALL] }] },
    ],
  ])('refuses %s', async (_, status, code, more) => {
    const asked = { model: MODEL, messages: [user('Hello')], ...more };
    const error = await errorOf(openai.chat.completions.create(asked));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status, code });
  });

  it('moderates texts one by one, and parts together', async () => {
    const texts = await openai.moderations.create({ input: ['A knot.', 'I will harm you.'] });
    expect(texts.results.map(({ flagged }) => flagged)).toEqual([false, true]);
    const text = { type: 'text', text: 'A knot.' } as const;
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } } as const;
    const parts = await openai.moderations.create({ input: [text, image] });
    expect(parts.results).toHaveLength(1);
  });

  it('refuses a wrong key, and reports a limit with its wait', async () => {
    const stranger = new OpenAI({ apiKey: 'sk-other', baseURL: fake.baseUrl, maxRetries: 0 });
    const asked = { model: MODEL, messages: [user('Hello')] };
    const rejected = await errorOf(stranger.chat.completions.create(asked));
    expect(rejected).toMatchObject({ status: 401, code: 'invalid_api_key' });
    fake.reply(openAiError(429, 'rate_limit_exceeded', 'Slow down.', {}, { 'retry-after': '2' }));
    const limited = await errorOf(openai.chat.completions.create(asked));
    expect(limited).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    const { headers } = limited as { readonly headers: Headers };
    expect(headers.get('retry-after')).toBe('2');
  });
});
