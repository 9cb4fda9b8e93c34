import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  anthropicError,
  type AnthropicFake,
  KEY,
  startAnthropicFake,
  thought,
} from './anthropic.fake.js';

const MODEL = 'claude-opus-5-5';
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Lima' } } as const;
const TOOL: Anthropic.Tool = { name: 'weather', input_schema: { type: 'object' } };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Fog.' } as const;
const LONG = 'A quipu is a record of knots. '.repeat(100);

const asking = (
  more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {},
): Anthropic.MessageCreateParamsNonStreaming => ({
  model: MODEL,
  max_tokens: 2_000,
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
});

describe("Anthropic's fake, called by its SDK", () => {
  let fake: AnthropicFake;
  let anthropic: Anthropic;

  beforeAll(async () => {
    fake = await startAnthropicFake();
    anthropic = new Anthropic({ apiKey: KEY, baseURL: fake.url, maxRetries: 0 });
  });

  afterAll(() => fake.close());

  const faultOf = async (work: Promise<unknown>): Promise<string> => {
    const error: unknown = await work.then(
      () => null,
      (cause: unknown) => cause,
    );
    if (!(error instanceof Anthropic.APIError)) throw new Error(`got ${String(error)}`);
    return `${String(error.status)} ${error.message}`;
  };

  it('answers, and streams the same', async () => {
    fake.reply({ content: [thought('Which fog?'), { type: 'text', text: 'Fog.' }, CALL] });
    const whole = await anthropic.messages.create(asking({ tools: [TOOL] }));
    const streamed = await anthropic.messages.stream(asking({ tools: [TOOL] })).finalMessage();
    expect(streamed.content).toMatchObject(whole.content);
    expect(streamed.usage).toMatchObject({ ...whole.usage });
    expect(whole.content.at(-1)).toEqual(CALL);
  });

  it('counts what it reads from its cache, and what it writes there', async () => {
    fake.reply({ content: [{ type: 'text', text: 'Knots.' }] });
    const system = [{ type: 'text', text: LONG, cache_control: { type: 'ephemeral' } }] as const;
    const first = await anthropic.messages.create(asking({ system: [...system] }));
    const second = await anthropic.messages.create(asking({ system: [...system] }));
    const written = first.usage.cache_creation_input_tokens;
    expect(written).toBeGreaterThan(512);
    expect(first.usage.cache_read_input_tokens).toBe(0);
    expect(second.usage.cache_read_input_tokens).toBe(written);
    expect(second.usage.cache_creation_input_tokens).toBe(0);
    expect(second.usage.input_tokens).toBe(first.usage.input_tokens);
  });

  it('counts tokens without answering', async () => {
    const { messages, model } = asking();
    const { input_tokens: counted } = await anthropic.messages.countTokens({ messages, model });
    const answered = await anthropic.messages.create(asking());
    expect(answered.usage.input_tokens).toBe(counted);
  });

  it.each<[string, object, string]>([
    ['an unknown field', { seed: 1 }, 'seed: Extra inputs are not permitted'],
    ['no bound', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['a dropped field', { temperature: 1 }, 'temperature: Extra inputs are not permitted'],
    [
      'a turn of the assistant first',
      { messages: [{ role: 'assistant', content: 'a' }] },
      'messages: first message must use the',
    ],
    [
      'a call without its result',
      {
        tools: [TOOL],
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: [CALL] },
          { role: 'user', content: 'b' },
        ],
      },
      'without `tool_result` blocks immediately after: toolu_1',
    ],
    [
      'a result without its call',
      { tools: [TOOL], messages: [{ role: 'user', content: [RESULT] }] },
      'unexpected `tool_use_id`',
    ],
    [
      'thinking above the bound',
      { max_tokens: 1_024, thinking: { type: 'enabled', budget_tokens: 1_024 } },
      '`max_tokens` must be greater',
    ],
    [
      'a thought of another account',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: [{ ...thought('b'), thinking: 'c' }] },
          { role: 'user', content: 'd' },
        ],
      },
      'Invalid `signature`',
    ],
    ['a feature without its header', { context_management: { edits: [] } }, 'context_management'],
    [
      'an empty text',
      { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] },
      'non-empty',
    ],
  ])('refuses %s', async (_, more, message) => {
    const fault = await faultOf(anthropic.messages.create(asking(more)));
    expect(fault).toMatch(/^400 /);
    expect(fault).toContain(message);
  });

  it('refuses temperature beside thinking in the version that has both', async () => {
    const more = { temperature: 0.7, thinking: { type: 'enabled', budget_tokens: 1_024 } };
    const headers = { 'anthropic-version': '2023-06-01' };
    const work = anthropic.messages.create(asking(more as object), { headers });
    expect(await faultOf(work)).toContain('only be set to 1 when thinking is enabled');
  });

  it('refuses a wrong key, a missing version and an unknown model', async () => {
    const other = new Anthropic({ apiKey: 'sk-ant-other', baseURL: fake.url, maxRetries: 0 });
    expect(await faultOf(other.messages.create(asking()))).toMatch(/^401 /);
    const headers = { 'anthropic-version': null };
    const work = anthropic.messages.create(asking(), { headers });
    expect(await faultOf(work)).toContain('anthropic-version: header is required');
    expect(await faultOf(anthropic.messages.create(asking({ model: 'claude-0' })))).toMatch(
      /^404 /,
    );
  });

  it('reports errors before and within a stream', async () => {
    fake.reply(anthropicError(529, 'overloaded_error', 'Overloaded'));
    expect(await faultOf(anthropic.messages.create(asking()))).toMatch(/^529 /);
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    fake.reply({ content: [{ type: 'text', text: 'a' }], events: 3, error });
    const work = anthropic.messages.stream(asking()).finalMessage();
    await expect(work).rejects.toThrow('Overloaded');
  });
});
