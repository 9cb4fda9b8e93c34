/** Several choices, ratings and tools of nano, alone and in one batch. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CompletionDelta,
  type CompletionRequest,
  type CompletionUsage,
  createLanguageModelEngine,
  type LanguageModelEngine,
  type RatedToken,
} from './language-model.engine.js';

const inModels = (name: string): string =>
  fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));

const never = new AbortController().signal;

const request = (content: string, more: Partial<CompletionRequest> = {}): CompletionRequest => ({
  modelFile: inModels('nano.gguf'),
  messages: [{ role: 'user', content }],
  maxTokens: 48,
  temperature: 0,
  ...more,
});

interface Choice {
  text: string;
  name?: string;
  arguments: string;
  tokens: RatedToken[];
  finishReason?: string;
}

const gather = async (
  engine: LanguageModelEngine,
  asked: CompletionRequest,
): Promise<{ readonly choices: readonly Choice[]; readonly usage: CompletionUsage }> => {
  const choices = Array.from({ length: asked.choices ?? 1 }, (): Choice => ({
    text: '',
    arguments: '',
    tokens: [],
  }));
  const take = ({ choice, text, call, logprobs = [], finishReason }: CompletionDelta): void => {
    const one = choices[choice];
    if (one === undefined) throw new RangeError(`there is no choice ${choice}`);
    expect(one.finishReason).toBeUndefined();
    if (call === undefined) one.text += text;
    else one.arguments += text;
    if (call?.name !== undefined) one.name = call.name;
    one.tokens.push(...logprobs);
    if (finishReason !== undefined) one.finishReason = finishReason;
  };
  const deltas = engine.choices(asked, never);
  for (;;) {
    const next = await deltas.next();
    if (next.done) return { choices, usage: next.value };
    take(next.value);
  }
};

interface Reference {
  readonly prompts: readonly {
    readonly text: string;
    readonly logits: readonly number[];
    readonly greedy: readonly number[];
  }[];
}

/** In a batch, the last bits of a logit depend on the other sequences. */
describe.each([
  ['each in a context of its own', 64 * 1024 ** 2],
  ['in one batch', 0],
])('a language model whose answers are generated %s', (_, batchedModelBytesMin) => {
  let engine: LanguageModelEngine;

  beforeAll(() => {
    engine = createLanguageModelEngine({ batchedModelBytesMin, runningMax: 16 });
  });

  afterAll(() => engine.close());

  it('gives each choice the text of its own seed, and counts the prompt once', async () => {
    const asked = request('Hello!', { temperature: 1.2, seed: 11 });
    const { choices, usage } = await gather(engine, { ...asked, choices: 3 });
    let completionTokens = 0;
    for (const [index, choice] of choices.entries()) {
      const alone = await gather(engine, { ...asked, seed: 11 + index });
      expect(choice).toEqual(alone.choices[0]);
      expect(usage.promptTokens).toBe(alone.usage.promptTokens);
      completionTokens += alone.usage.completionTokens;
    }
    expect(usage.completionTokens).toBe(completionTokens);
  });

  it('serves more choices than it generates at once', async () => {
    const asked = request('Who are you?', { choices: 20, maxTokens: 4 });
    const { choices } = await gather(engine, asked);
    expect(new Set(choices.map(({ text }) => text)).size).toBe(1);
    expect(choices.every(({ finishReason }) => finishReason === 'length')).toBe(true);
  });

  it('says the same beside others as alone', async () => {
    const asked = ['What is a hold?', 'What is an event?', 'Who are you?', 'Which port?'].flatMap(
      (content) => [1, 2].map((seed) => request(content, { temperature: 0.9, seed })),
    );
    const alone = [];
    for (const one of asked) alone.push((await gather(engine, one)).choices[0]?.text);
    const beside = await Promise.all(asked.map((one) => gather(engine, one)));
    expect(beside.map(({ choices }) => choices[0]?.text)).toEqual(alone);
  });

  it('ends one choice at a stop string and continues the others', async () => {
    const asked = request('Hello!', { temperature: 1.2, seed: 11, choices: 3 });
    const whole = await gather(engine, asked);
    const first = whole.choices[0]?.text ?? '';
    const stop = first.slice(4, 9);
    const { choices } = await gather(engine, { ...asked, stop: [stop] });
    expect(choices.map(({ text }) => text)).toEqual(
      whole.choices.map(({ text }) => text.split(stop, 1)[0]),
    );
    expect(choices[0]?.finishReason).toBe('stop');
  });

  it('is free for others as soon as a caller leaves', async () => {
    const caller = new AbortController();
    const endless = request('Hello!', { temperature: 1000, maxTokens: 900, seed: 4, choices: 16 });
    const deltas = engine.choices(endless, caller.signal);
    await deltas.next();
    caller.abort();
    let next = await deltas.next();
    while (!next.done) next = await deltas.next();
    expect(next.value.completionTokens).toBeLessThan(16 * 450);
    const { choices } = await gather(engine, request('Who are you?'));
    expect(choices[0]?.text).not.toBe('');
  });

  it('rates tokens as the trainer does, to 1e-3', async () => {
    const reference = JSON.parse(
      await readFile(inModels('nano.reference.json'), 'utf8'),
    ) as Reference;
    for (const { text, logits, greedy } of reference.prompts) {
      const asked = request(text, { topLogprobs: 20, maxTokens: greedy.length });
      const [choice] = (await gather(engine, asked)).choices;
      const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
      const expected = logits
        .map((logit) => logit - Math.log(total))
        .toSorted((one, other) => other - one);
      const [first] = choice?.tokens ?? [];
      expect(first?.top).toHaveLength(20);
      for (const [place, { logprob }] of (first?.top ?? []).entries()) {
        expect(Math.abs(logprob - (expected[place] ?? NaN))).toBeLessThan(1e-3);
      }
      expect(first).toMatchObject({ token: first?.top[0]?.token, logprob: first?.top[0]?.logprob });
    }
  });

  it('answers alike with and without ratings, and rates every token of the text', async () => {
    const asked = request('What is a hold?', { temperature: 1.4, topP: 0.9, seed: 21 });
    const plain = await gather(engine, asked);
    const rated = await gather(engine, { ...asked, topLogprobs: 0 });
    const [{ text, tokens } = { text: '', tokens: [] }] = rated.choices;
    expect(text).toBe(plain.choices[0]?.text);
    expect(tokens.map(({ token }) => token).join('')).toBe(text);
    expect(Buffer.from(tokens.flatMap(({ bytes }) => bytes ?? [])).toString()).toBe(text);
    for (const { logprob, top } of tokens) {
      expect(logprob).toBeLessThanOrEqual(0);
      expect(top).toEqual([]);
    }
  });
});

describe('the ratings of a language model', () => {
  let engine: LanguageModelEngine;

  beforeAll(() => {
    engine = createLanguageModelEngine();
  });

  afterAll(() => engine.close());

  it('have the bytes of tokens that are parts of characters', async () => {
    const wild = request('Größe: 10 €', { temperature: 1000, seed: 11, maxTokens: 200 });
    const [choice] = (await gather(engine, { ...wild, topLogprobs: 1 })).choices;
    const parts = (choice?.tokens ?? []).filter(({ token }) => token.startsWith('bytes:'));
    expect(parts.length).toBeGreaterThan(0);
    for (const { token, bytes } of parts) {
      expect(token).toMatch(/^bytes:(\\x[0-9a-f]{2})+$/);
      expect(Buffer.from(bytes ?? []).toString()).toContain('\uFFFD');
    }
  });

  it('end with the text, before a stop string', async () => {
    const asked = request('What is a hold?', { topLogprobs: 0 });
    const whole = (await gather(engine, asked)).choices[0];
    const stop = whole?.text.slice(12, 18) ?? '';
    const [cut] = (await gather(engine, { ...asked, stop: [stop] })).choices;
    const rated = cut?.tokens.map(({ token }) => token).join('') ?? '';
    expect(cut?.text).toBe(whole?.text.slice(0, 12));
    expect(rated.startsWith(cut?.text ?? 'none')).toBe(true);
    expect(rated.length).toBeLessThan(18);
  });

  describe('and its tools', () => {
    const functions = [
      {
        name: 'add',
        description: 'adds two numbers',
        parameters: {
          type: 'object',
          properties: {
            a: { type: 'integer', description: 'the first of them' },
            unit: { enum: ['cm', 'in'], description: 'of both' },
          },
        },
      },
      { name: 'add_all', parameters: { type: 'object', properties: {} } },
    ];

    it('calls one of them where it must, with arguments of its schema', async () => {
      for (const seed of [1, 2, 3, 4]) {
        const tools = { functions, choice: 'required' } as const;
        const asked = request('What is 2 + 3?', { tools, temperature: 1, seed });
        const [choice] = (await gather(engine, asked)).choices;
        expect(choice?.finishReason).toBe('tool_calls');
        expect(choice?.text).toBe('');
        const said = JSON.parse(choice?.arguments ?? '') as object;
        const keys = { add: ['a', 'unit'], add_all: [] }[choice?.name ?? ''];
        expect(Object.keys(said)).toEqual(keys);
      }
    });

    it('calls the only one without a choice', async () => {
      const tools = { functions: functions.slice(1), choice: 'required' } as const;
      const { choices, usage } = await gather(engine, request('Hello!', { tools }));
      expect(choices).toMatchObject([{ name: 'add_all', arguments: '{}' }]);
      expect(usage.completionTokens).toBeGreaterThan(0);
    });

    it('says length where the arguments do not fit', async () => {
      const tools = { functions, choice: 'required' } as const;
      const { choices } = await gather(engine, request('Hello!', { tools, maxTokens: 3 }));
      expect(choices[0]?.finishReason).toBe('length');
    });

    it('answers where it may: nano was never trained to call', async () => {
      const tools = { functions, choice: 'auto' } as const;
      const [choice] = (await gather(engine, request('Who are you?', { tools }))).choices;
      expect(choice).toMatchObject({ arguments: '', finishReason: 'stop' });
      expect(choice?.text).not.toBe('');
    });

    it('reads earlier calls and their answers', async () => {
      const said = (result: string) =>
        gather(engine, {
          ...request('Add'),
          messages: [
            { role: 'user', content: 'Add 2' },
            {
              role: 'assistant',
              content: '',
              calls: [{ name: 'add', arguments: { a: 2 }, result }],
            },
          ],
        });
      const short = await said('2');
      const long = await said('the sum of these numbers is 2 and nothing else');
      expect(long.usage.promptTokens).toBeGreaterThan(short.usage.promptTokens + 5);
    });
  });
});
