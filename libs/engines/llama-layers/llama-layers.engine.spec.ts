/** The same requests as llama.cpp serves, by its engine, side by side. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createLanguageModelEngine,
  type LanguageModelEngine,
} from '../language-model/language-model.engine.js';
import {
  createLlamaLayersEngine,
  type LayersRequest,
  type LayersUsage,
  type LlamaLayersEngine,
} from './llama-layers.engine.js';
import { NANO } from './pipeline/pipeline.fixture.js';

const TWO_STAGES = { stages: 2, standbys: 0, host: '127.0.0.1' };

const request = (content: string, more: Partial<LayersRequest> = {}): LayersRequest => ({
  modelFile: NANO,
  messages: [{ role: 'user', content }],
  maxTokens: 48,
  temperature: 0,
  ...more,
});

const never = (): AbortSignal => new AbortController().signal;

const complete = async (engine: LlamaLayersEngine, asked: LayersRequest, signal = never()) => {
  const deltas: string[] = [];
  const stream = engine.stream(asked, signal);
  let next = await stream.next();
  for (; !next.done; next = await stream.next()) deltas.push(next.value);
  return { deltas, text: deltas.join(''), usage: next.value };
};

const served = async (engine: LanguageModelEngine, asked: LayersRequest) => {
  const { division: _division, ...rest } = asked;
  const stream = engine.stream(rest, never());
  let text = '';
  let next = await stream.next();
  for (; !next.done; next = await stream.next()) text += next.value;
  return { text, usage: next.value };
};

describe('layers as an engine', () => {
  let engine: LlamaLayersEngine;
  let llama: LanguageModelEngine;
  let folder: string;

  beforeAll(async () => {
    engine = createLlamaLayersEngine();
    llama = createLanguageModelEngine();
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-layers-'));
  });

  afterAll(async () => {
    await Promise.all([engine.close(), llama.close(), rm(folder, { recursive: true })]);
  });

  it.each([
    ['a question', request('What is a hold and when is it captured?')],
    ['other scripts, white space', request('  Größe:\t10 €\n\n – 你好? ')],
    ['control tokens as text', request('<|im_end|>\n<|im_start|>assistant')],
    ['a limit', request('What is Quipu?', { maxTokens: 5 })],
    ['a stop string', request('What is Quipu?', { stop: ['gateway'] })],
    [
      'a conversation',
      request('', {
        messages: [
          { role: 'system', content: 'You are short.' },
          { role: 'user', content: 'Hello!' },
          { role: 'assistant', content: 'Hi! I am nano.' },
          { role: 'user', content: 'What is a balance?' },
        ],
      }),
    ],
  ])('gives the greedy text and the counts of llama.cpp: %s', async (_, asked) => {
    const theirs = await served(llama, asked);
    const { text, usage } = await complete(engine, asked);
    expect(text).toBe(theirs.text);
    expect(usage).toMatchObject(theirs.usage);
    const divided = await complete(engine, { ...asked, division: TWO_STAGES });
    expect(divided.text).toBe(text);
    expect(divided.usage.report?.stages.map(({ first, last }) => [first, last])).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it('draws the same text for a seed, divided or not, and another for another seed', async () => {
    const asked = request('Tell me about events.', { temperature: 2, topP: 0.999, seed: 7 });
    const { text } = await complete(engine, asked);
    expect((await complete(engine, { ...asked, division: TWO_STAGES })).text).toBe(text);
    expect((await complete(engine, { ...asked, seed: 8 })).text).not.toBe(text);
  });

  it('says before each delta what is used up to its end', async () => {
    const reported: LayersUsage[] = [];
    const stream = engine.stream(request('What is a hold?'), never(), (used) =>
      reported.push(used),
    );
    let deltas = 0;
    let next = await stream.next();
    for (; !next.done; next = await stream.next()) expect(reported).toHaveLength((deltas += 1));
    expect(deltas).toBeGreaterThan(5);
    expect(reported.at(-1)).toMatchObject({ promptTokens: next.value.promptTokens });
  });

  it('ends with its caller, and frees its place', async () => {
    const busy = createLlamaLayersEngine({ runningMax: 1, waitingMax: 0 });
    try {
      const controller = new AbortController();
      const stream = busy.stream(
        request('Hello!', { maxTokens: 900, temperature: 1000, seed: 4 }),
        controller.signal,
      );
      await stream.next();
      await expect(complete(busy, request('Hello!'))).rejects.toMatchObject({ code: 'busy' });
      controller.abort();
      let next = await stream.next();
      while (!next.done) next = await stream.next();
      expect(next.value.completionTokens).toBeGreaterThan(0);
      for (;;) {
        const retried = await complete(busy, request('Hello!')).catch(() => null);
        if (retried !== null) break;
        await setTimeout(5);
      }
    } finally {
      await busy.close();
    }
    await expect(complete(busy, request('Hello!'))).rejects.toMatchObject({ code: 'closed' });
  });

  it('rejects a prompt that leaves no room, and files that it cannot run, by name', async () => {
    const nano = await readFile(NANO);
    const changed = async (name: string, change: (bytes: Buffer) => void): Promise<string> => {
      const file = path.join(folder, name);
      const bytes = Buffer.from(nano);
      change(bytes);
      await writeFile(file, bytes);
      return file;
    };
    const tensor = nano.indexOf('blk.1.ffn_up.weight');
    // Behind the name: the number of dimensions, two of them, then the type.
    const typeAt = tensor + 'blk.1.ffn_up.weight'.length + 4 + 16;
    expect(nano.readUInt32LE(typeAt)).toBe(0);
    const unread = await changed('unread.gguf', (bytes) => bytes.writeUInt32LE(12, typeAt));
    const other = await changed('other.gguf', (bytes) => {
      const key = Buffer.from('general.architecture');
      bytes.write('qwen2', bytes.indexOf(key) + key.length + 12);
    });
    const short = path.join(folder, 'short.gguf');
    await writeFile(short, nano.subarray(0, nano.length - 1_000_000));
    const asking = (modelFile: string) => complete(engine, request('Hello!', { modelFile }));
    await expect(asking(unread)).rejects.toMatchObject({
      code: 'model_unsupported',
      message: expect.stringContaining('blk.1.ffn_up.weight is Q4_K, not one of F32, F16, BF16'),
    });
    await expect(asking(other)).rejects.toMatchObject({
      code: 'model_unsupported',
      message: expect.stringContaining('architecture is qwen2'),
    });
    await expect(asking(short)).rejects.toMatchObject({ code: 'model_file_invalid' });
    await expect(asking(path.join(folder, 'absent.gguf'))).rejects.toMatchObject({
      code: 'model_file_missing',
    });
    await expect(complete(engine, request('hold '.repeat(2_000)))).rejects.toMatchObject({
      code: 'prompt_too_long',
    });
  });
});
