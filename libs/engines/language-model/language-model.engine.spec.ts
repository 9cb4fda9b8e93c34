import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createLanguageModelEngine,
  DEFAULT_OPTIONS,
  type CompletionRequest,
  type CompletionUsage,
  type LanguageModelEngine,
} from './language-model.engine.js';
import {
  EngineBusyError,
  EngineClosedError,
  EngineCrashedError,
  ModelFileInvalidError,
  ModelFileMissingError,
  PromptTooLongError,
} from './language-model.engine.errors.js';
import type { FromChild } from './language-model.protocol.js';
import { startModelChild } from './model-process.js';

const NANO = fileURLToPath(new URL('../../../models/nano.gguf', import.meta.url));

const request = (content: string, more: Partial<CompletionRequest> = {}): CompletionRequest => ({
  modelFile: NANO,
  messages: [{ role: 'user', content }],
  maxTokens: 64,
  temperature: 0,
  ...more,
});

const never = (): AbortSignal => new AbortController().signal;

interface Completion {
  readonly deltas: readonly string[];
  readonly text: string;
  readonly usage: CompletionUsage;
}

const complete = async (
  engine: LanguageModelEngine,
  asked: CompletionRequest,
  signal = never(),
): Promise<Completion> => {
  const deltas: string[] = [];
  const stream = engine.stream(asked, signal);
  for (;;) {
    const next = await stream.next();
    if (next.done) return { deltas, text: deltas.join(''), usage: next.value };
    deltas.push(next.value);
  }
};

describe('language model engine', () => {
  let engine: LanguageModelEngine;
  let folder: string;
  let childrenStarted = 0;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-language-model-'));
    engine = createLanguageModelEngine({
      startChild: (settings) => {
        childrenStarted += 1;
        return startModelChild(settings);
      },
    });
  });

  afterAll(async () => {
    await engine.close();
    await rm(folder, { recursive: true });
  });

  it('describes a model without starting its process', async () => {
    const sha256 = createHash('sha256')
      .update(await readFile(NANO))
      .digest('hex');
    const manifest = JSON.parse(
      await readFile(path.join(path.dirname(NANO), 'nano.json'), 'utf8'),
    ) as { readonly parameters: number; readonly sha256: string };
    expect(await engine.describe(NANO)).toEqual({
      name: 'Quipu nano',
      architecture: 'llama',
      parameters: manifest.parameters,
      contextLength: 1024,
      sha256,
    });
    expect(sha256).toBe(manifest.sha256);
    expect(childrenStarted).toBe(0);
  });

  it('answers about Quipu, and starts one process for it', async () => {
    const { text, usage } = await complete(engine, request('What is a hold?'));
    expect(text).toMatch(/hold/);
    expect(text).toMatch(/^[A-Z].*\.$/);
    expect(usage.finishReason).toBe('stop');
    expect(usage.promptTokens).toBeGreaterThan(5);
    expect(usage.completionTokens).toBeGreaterThan(5);
    expect(childrenStarted).toBe(1);
  });

  it('says the same at temperature 0 whatever the seed', async () => {
    const first = await complete(engine, request('Who are you?', { seed: 1 }));
    const second = await complete(engine, request('Who are you?', { seed: 2 }));
    expect(second.text).toBe(first.text);
  });

  it('says the same for the same seed and other things for other seeds', async () => {
    const hot = { temperature: 2, maxTokens: 24 };
    const texts = await Promise.all(
      [7, 7, 8, 9].map((seed) => complete(engine, request('Hello!', { ...hot, seed }))),
    );
    const [first, again, ...others] = texts.map(({ text }) => text);
    expect(again).toBe(first);
    for (const other of others) expect(other).not.toBe(first);
  });

  it('draws a seed of its own when none is given', async () => {
    const hot = request('Hello!', { temperature: 2, maxTokens: 24 });
    const [first, second] = await Promise.all([complete(engine, hot), complete(engine, hot)]);
    expect(second.text).not.toBe(first.text);
  });

  it('narrows sampling to the likeliest token as topP goes to 0', async () => {
    const greedy = await complete(engine, request('What is an event?'));
    const narrow = { temperature: 1.5, topP: 1e-6, seed: 3 };
    expect((await complete(engine, request('What is an event?', narrow))).text).toBe(greedy.text);
  });

  it('counts a prompt of any length without writing', async () => {
    const asked = request('What is a hold?', { maxTokens: 3 });
    const { usage } = await complete(engine, asked);
    const counted = await complete(engine, { ...asked, maxTokens: 0 });
    expect(counted).toMatchObject({
      text: '',
      usage: { promptTokens: usage.promptTokens, completionTokens: 0 },
    });
    const long = await complete(engine, request('hold '.repeat(4_000), { maxTokens: 0 }));
    expect(long.usage.promptTokens).toBeGreaterThan(4_000);
  });

  it('stops at maxTokens and says length', async () => {
    const whole = await complete(engine, request('What is a hold?'));
    const cut = await complete(engine, request('What is a hold?', { maxTokens: 3 }));
    expect(cut.usage).toMatchObject({ completionTokens: 3, finishReason: 'length' });
    expect(whole.text.startsWith(cut.text)).toBe(true);
    expect(cut.text.length).toBeLessThan(whole.text.length);
  });

  it('keeps to a JSON Schema, whatever it would rather say', async () => {
    const jsonSchema = {
      oneOf: [
        { type: 'object', properties: { answer: { type: 'string', maxLength: 40 } } },
        { type: 'object', properties: { count: { type: 'integer' }, kind: { enum: ['knot'] } } },
      ],
    };
    for (const seed of [1, 2, 3]) {
      const asked = request('Who are you?', { jsonSchema, temperature: 1, seed });
      const { text, usage } = await complete(engine, asked);
      expect(usage.finishReason).toBe('stop');
      const said = JSON.parse(text) as Readonly<Record<string, unknown>>;
      expect([['answer'], ['count', 'kind']]).toContainEqual(Object.keys(said));
    }
  });

  it('says before each delta what is used up to its end', async () => {
    const reported: CompletionUsage[] = [];
    const stream = engine.stream(request('What is a hold?'), never(), (used) =>
      reported.push(used),
    );
    let deltas = 0;
    let next = await stream.next();
    for (; !next.done; next = await stream.next()) {
      deltas += 1;
      expect(reported).toHaveLength(deltas);
    }
    const tokens = reported.map(({ completionTokens }) => completionTokens);
    expect(tokens).toEqual(tokens.toSorted((one, other) => one - other));
    expect(reported.at(-1)).toMatchObject({ promptTokens: next.value.promptTokens });
    expect(tokens.at(-1)).toBeLessThanOrEqual(next.value.completionTokens);
    expect(tokens[0]).toBeGreaterThan(0);
  });

  it('ends before a stop string that straddles tokens', async () => {
    const whole = await complete(engine, request('What is a hold?'));
    const boundary = (whole.deltas[0] ?? '').length + (whole.deltas[1] ?? '').length;
    const stop = whole.text.slice(boundary - 2, boundary + 2);
    const cut = await complete(engine, request('What is a hold?', { stop: [stop] }));
    expect(cut.text).toBe(whole.text.slice(0, whole.text.indexOf(stop)));
    expect(cut.usage.finishReason).toBe('stop');
    expect(cut.usage.completionTokens).toBeLessThan(whole.usage.completionTokens);
  });

  it('never splits a character, even when every byte is a token of its own', async () => {
    // At this temperature the model draws bytes nearly evenly, so many characters are invalid or
    // cut.
    const wild = { temperature: 1000, maxTokens: 300, seed: 11 };
    const { deltas } = await complete(engine, request('Größe: 10 € – 你好?', wild));
    expect(deltas.length).toBeGreaterThan(20);
    for (const delta of deltas) expect(delta.isWellFormed()).toBe(true);
  });

  it('rejects a prompt that leaves no room, naming its tokens and the limit', async () => {
    const rejected = await complete(engine, request('hold '.repeat(2000))).catch(
      (error: unknown) => error,
    );
    expect(rejected).toBeInstanceOf(PromptTooLongError);
    expect(rejected).toMatchObject({ contextTokens: 1024 });
    expect((rejected as PromptTooLongError).promptTokens).toBeGreaterThan(2000);
    expect((rejected as PromptTooLongError).message).toMatch(/1024/);
  });

  it('ends with length when the context is full', async () => {
    const { usage } = await complete(
      engine,
      request('hold '.repeat(900), { maxTokens: 5000, temperature: 1000, seed: 5 }),
    );
    expect(usage.promptTokens + usage.completionTokens).toBeLessThanOrEqual(1024);
  });

  it('rejects files that are absent or no GGUF', async () => {
    const text = path.join(folder, 'text.gguf');
    await writeFile(text, 'not a model');
    const cut = path.join(folder, 'cut.gguf');
    await writeFile(cut, (await readFile(NANO)).subarray(0, 200_000));
    const absent = path.join(folder, 'absent.gguf');
    const asking = (modelFile: string) => complete(engine, request('Hello!', { modelFile }));
    await expect(asking(absent)).rejects.toThrow(ModelFileMissingError);
    await expect(asking(text)).rejects.toThrow(ModelFileInvalidError);
    await expect(asking(cut)).rejects.toThrow(ModelFileInvalidError);
    await expect(engine.describe(absent)).rejects.toThrow(ModelFileMissingError);
    await expect(engine.describe(text)).rejects.toThrow(ModelFileInvalidError);
  });

  it('keeps to its limit of loaded models and still serves them all', async () => {
    const files = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const file = path.join(folder, `${name}.gguf`);
        await copyFile(NANO, file);
        return file;
      }),
    );
    const expected = (await complete(engine, request('Who are you?'))).text;
    for (const modelFile of [...files, ...files]) {
      expect((await complete(engine, request('Who are you?', { modelFile }))).text).toBe(expected);
    }
  });

  it('returns the usage so far when it is aborted', async () => {
    const controller = new AbortController();
    const asked = request('Hello!', { maxTokens: 900, temperature: 1000, seed: 4 });
    const stream = engine.stream(asked, controller.signal);
    await stream.next();
    controller.abort();
    let next = await stream.next();
    while (!next.done) next = await stream.next();
    expect(next.value.promptTokens).toBeGreaterThan(0);
    expect(next.value.completionTokens).toBeGreaterThan(0);
    expect(next.value.completionTokens).toBeLessThanOrEqual(DEFAULT_OPTIONS.unreadDeltasMax * 2);
  });

  it('returns at once for a signal that has aborted already', async () => {
    const { text, usage } = await complete(engine, request('Hello!'), AbortSignal.abort());
    expect(text).toBe('');
    expect(usage).toEqual({ promptTokens: 0, completionTokens: 0, finishReason: 'stop' });
  });
});

describe('language model engine under load', () => {
  it('rejects a request more than may wait, and serves the others in turn', async () => {
    const engine = createLanguageModelEngine({ runningMax: 1, waitingMax: 2 });
    try {
      const asked = request('Who are you?');
      const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => complete(engine, asked)));
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'fulfilled',
        'rejected',
      ]);
      const [, , , rejected] = outcomes;
      expect((rejected as PromiseRejectedResult).reason).toBeInstanceOf(EngineBusyError);
    } finally {
      await engine.close();
    }
  });

  it('lets a waiting request go when its caller leaves', async () => {
    const engine = createLanguageModelEngine({ runningMax: 1, waitingMax: 1 });
    try {
      const controller = new AbortController();
      const first = complete(engine, request('Who are you?'));
      const second = complete(engine, request('Who are you?'), controller.signal);
      controller.abort();
      expect((await second).usage.promptTokens).toBe(0);
      const third = complete(engine, request('Who are you?'));
      expect((await third).text).toBe((await first).text);
    } finally {
      await engine.close();
    }
  });

  it('stops generating within a few tokens of an abort', async () => {
    const generated: FromChild[] = [];
    const engine = createLanguageModelEngine({
      unreadDeltasMax: 10_000,
      startChild: (settings) => {
        const child = startModelChild(settings);
        child.on('message', (messages) => generated.push(...(messages as FromChild[])));
        return child;
      },
    });
    try {
      const controller = new AbortController();
      const asked = request('Hello!', { maxTokens: 900, temperature: 1000, seed: 4 });
      const stream = engine.stream(asked, controller.signal);
      await stream.next();
      controller.abort();
      expect((await stream.next()).done).toBe(true);
      while (!generated.some(({ type }) => type === 'done')) await setTimeout(5);
      const ended = generated.find((message) => message.type === 'ended');
      expect(ended?.completionTokens).toBeLessThan(450);
    } finally {
      await engine.close();
    }
  });

  it('generates no further ahead of a slow reader than it may', async () => {
    const engine = createLanguageModelEngine({ runningMax: 1, unreadDeltasMax: 2 });
    try {
      const asked = request('Hello!', { maxTokens: 200, temperature: 1000, seed: 4 });
      const slow = engine.stream(asked, never());
      await slow.next();
      const waiting = complete(engine, request('Who are you?'));
      // The process can only be waiting for its reader now: 200 tokens take it a fraction of this.
      const outcome = await Promise.race([
        waiting.then(() => 'finished'),
        setTimeout(1000, 'still waiting'),
      ]);
      expect(outcome).toBe('still waiting');
      await slow.return({ promptTokens: 0, completionTokens: 0, finishReason: 'stop' });
      expect((await waiting).usage.finishReason).toBe('stop');
    } finally {
      await engine.close();
    }
  });

  it('fails what runs when its process dies, and starts another for the next request', async () => {
    const children: ChildProcess[] = [];
    const engine = createLanguageModelEngine({
      startChild: (settings) => {
        const child = startModelChild(settings);
        children.push(child);
        return child;
      },
    });
    try {
      const asked = request('Hello!', { maxTokens: 900, temperature: 1000, seed: 4 });
      const stream = engine.stream(asked, never());
      await stream.next();
      children[0]?.kill('SIGKILL');
      const drained = (async () => {
        for (let next = await stream.next(); !next.done; next = await stream.next());
      })();
      await expect(drained).rejects.toThrow(EngineCrashedError);
      expect((await complete(engine, request('Who are you?'))).text).not.toBe('');
      expect(children).toHaveLength(2);
    } finally {
      await engine.close();
    }
  });

  it('ends its process when it is closed, and rejects from then on', async () => {
    const children: ChildProcess[] = [];
    const engine = createLanguageModelEngine({
      startChild: (settings) => {
        const child = startModelChild(settings);
        children.push(child);
        return child;
      },
    });
    await complete(engine, request('Who are you?'));
    const [child] = children;
    const exited = child === undefined ? Promise.resolve([]) : once(child, 'exit');
    await engine.close();
    expect(await exited).toEqual([0, null]);
    await expect(complete(engine, request('Who are you?'))).rejects.toThrow(EngineClosedError);
  });
});
