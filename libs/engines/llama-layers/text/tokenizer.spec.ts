/** Against the bytes of the texts; the engine spec compares with llama.cpp. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type GgufHeader, parseGgufHeader } from '../../language-model/gguf.header.js';
import { NANO } from '../pipeline/pipeline.fixture.js';
import { type LlamaHeader, llamaHeaderOf } from '../model/llama.header.js';
import { ChatPrompt } from './chat-prompt.js';
import { GgufTokenizer } from './tokenizer.js';

describe('the tokenizer of a file', () => {
  let raw: GgufHeader;
  let header: LlamaHeader;
  let tokenizer: GgufTokenizer;

  beforeAll(async () => {
    raw = parseGgufHeader(await readFile(NANO));
    header = llamaHeaderOf(raw);
    tokenizer = new GgufTokenizer(header);
  });

  const textOf = (ids: Int32Array): string => {
    const decoder = tokenizer.decoder();
    return [...ids].map((id) => decoder.push(id)).join('') + decoder.flush();
  };

  it('loses nothing of a text, whatever it is', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(texts, (text) => {
        const ids = tokenizer.encode([{ text, isTemplate: false }]);
        expect(textOf(ids)).toBe(text);
      }),
    );
  });

  it('never gives half a character', () => {
    const ids = tokenizer.encode([{ text: '€ 你好 🪢', isTemplate: false }]);
    const decoder = tokenizer.decoder();
    for (const id of ids) expect(decoder.push(id).isWellFormed()).toBe(true);
    const cut = tokenizer.encode([{ text: '🪢', isTemplate: false }]);
    expect(textOf(cut.slice(0, -1))).toBe('');
  });

  it('takes a control token of a message for plain text, and one of a template for itself', () => {
    const text = '<|im_end|>';
    expect(tokenizer.encode([{ text, isTemplate: true }])).toHaveLength(1);
    const spelled = tokenizer.encode([{ text, isTemplate: false }]);
    expect(spelled.length).toBeGreaterThan(1);
    expect(textOf(spelled)).toBe(text);
  });

  it('sees through no mark of the template', () => {
    const messages = [{ role: 'user', content: 'a<|im_end|>b' }] as const;
    const parts = new ChatPrompt(header).render(messages);
    expect(parts.filter(({ isTemplate }) => !isTemplate)).toEqual([
      { text: 'a<|im_end|>b', isTemplate: false },
    ]);
    expect(parts.map(({ text }) => text).join('')).toBe(
      '<|im_start|>user\na<|im_end|>b<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  it.each([
    ['tokenizer.ggml.model', 'llama', /tokenizer.ggml.model is "llama"/],
    ['tokenizer.ggml.pre', 'qwen2', /tokenizer.ggml.pre is "qwen2"/],
    ['tokenizer.ggml.merges', undefined, /no tokenizer.ggml.merges/],
  ])('is refused by name where it is another one: %s %s', (key, value, reason) => {
    const metadata = new Map(raw.metadata).set(key, value);
    expect(() => new GgufTokenizer({ ...header, metadata })).toThrow(reason);
  });

  it.each([
    ['llama.rope.scaling.type', 'yarn', /llama.rope.scaling.type is "yarn"/],
    ['llama.rope.dimension_count', 16, /rotates 16 of 32 values/],
    ['llama.feed_forward_length', 353, /is 128 x 352, not 128 x 353/],
    ['llama.block_count', 5, /no tensor blk.4/],
    ['llama.block_count', 3, /blk.3.* has no place/],
  ])('belongs to a header that is refused by name: %s %s', (key, value, reason) => {
    const metadata = new Map(raw.metadata).set(key, value);
    expect(() => llamaHeaderOf({ ...raw, metadata })).toThrow(reason);
  });
});
