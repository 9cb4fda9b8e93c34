import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseGgufHeader } from '../language-model/gguf.header.js';
import { HALF, storedAs } from '../llama-layers/formats/stored-as.fixture.js';
import { type GgufModel, writeGguf } from '../training/files/gguf.js';
import { TrainingFolder } from '../training/training.fixture.js';
import { importModel } from './import-model.js';
import { ModelImportError } from './model-import.errors.js';
import {
  configOf,
  inBrainFloats,
  microGguf,
  microModel,
  safetensorsOf,
  TASK,
  tokenizerOf,
} from './model-import.fixture.js';
import { type ModelImportEnd, type ModelImportTask } from './model-import.protocol.js';

const imported = (file: Uint8Array, changes: Partial<ModelImportTask> = {}): ModelImportEnd =>
  importModel({ ...TASK, file, ...changes });

/** The bytes of each tensor, by its name. */
const tensorsIn = (bytes: Uint8Array): ReadonlyMap<string, string> => {
  const { tensors, dataStart } = parseGgufHeader(bytes);
  const starts = [...tensors.map(({ offset }) => offset), bytes.length - dataStart];
  return new Map(
    tensors.map(({ name, offset }) => {
      const end = Math.min(...starts.filter((start) => start > offset));
      const part = bytes.subarray(dataStart + offset, dataStart + end);
      return [name, Buffer.from(part).toString('base64')];
    }),
  );
};

/** The text of the file with another text of the same length in it. */
const replaced = (file: Buffer, from: string, to: string): Buffer => {
  const copy = Buffer.from(file);
  copy.write(to, copy.indexOf(from));
  return copy;
};

describe('an uploaded model', () => {
  let model: GgufModel;
  let gguf: Buffer;

  beforeAll(async () => {
    model = await microModel();
    gguf = writeGguf(model);
  });

  it('in GGUF keeps its weights and its tokens, and has the name and licence of its card', () => {
    const end = imported(gguf, { contextTokens: 128 });
    expect(end).toMatchObject({
      format: 'gguf',
      contextTokens: 128,
      tensorFormats: ['F32'],
      chatTemplate: 'chatml',
      parameters: model.tensors.reduce((sum, { values }) => sum + values.length, 0),
    });
    const { metadata } = parseGgufHeader(end.file);
    const before = parseGgufHeader(gguf).metadata;
    expect(metadata.get('general.name')).toBe('Micro');
    expect(metadata.get('general.license')).toBe('Apache-2.0');
    expect(metadata.get('llama.context_length')).toBe(128);
    for (const key of ['tokens', 'merges', 'token_type', 'eos_token_id']) {
      const whole = `tokenizer.ggml.${key}`;
      expect(metadata.get(whole)).toEqual(before.get(whole));
    }
    expect(tensorsIn(end.file)).toEqual(tensorsIn(gguf));
  });

  it('in 16 bits keeps them, but for its vectors', async () => {
    const folder = await TrainingFolder.make();
    const file = path.join(folder.path, 'micro.gguf');
    await writeFile(file, gguf);
    const half = await storedAs(file, HALF);
    await rm(folder.path, { recursive: true });
    const end = imported(half);
    expect(end.tensorFormats).toEqual(['F16', 'F32']);
    expect(end.file.length).toBeLessThan(0.6 * gguf.length);
    expect(parseGgufHeader(end.file).metadata.get('general.file_type')).toBe(1);
  });

  it('in safetensors is the same model', () => {
    const files = { config: configOf(model), tokenizer: tokenizerOf(model.vocabulary) };
    const end = imported(safetensorsOf(model), files);
    const own = imported(gguf);
    expect(end).toMatchObject({ format: 'safetensors', chatTemplate: 'chatml' });
    expect(tensorsIn(end.file)).toEqual(tensorsIn(own.file));
    expect(end.vocabulary).toBe(own.vocabulary);
    const brain = imported(inBrainFloats(safetensorsOf(model)), files);
    expect(brain.tensorFormats).toEqual(['BF16', 'F32']);
    expect(brain.parameters).toBe(own.parameters);
  });

  it('has a template of ours: the template of a file is a program, and never runs', () => {
    const endless = '{% for a in range(999999999) %}{{ a }}{% endfor %}';
    const file = writeGguf({ ...model, chatTemplate: endless });
    expect(() => imported(file)).toThrow('name chatml or plain in card.chat_template');
    const end = imported(file, { chatTemplate: 'plain' });
    const template = parseGgufHeader(end.file).metadata.get('tokenizer.chat_template');
    expect(template).toContain("message['content']");
    expect(Buffer.from(end.file).includes('range(')).toBe(false);
  });

  it.each<[string, (file: Buffer) => Buffer, string, RegExp]>([
    ['a cut file', (file) => file.subarray(0, -100), 'file_invalid', /outside of the file/],
    ['a longer file', (file) => Buffer.concat([file, file]), 'file_invalid', /bytes follow/],
    [
      'another architecture',
      (file) => replaced(file, 'llama', 'gemma'),
      'unsupported',
      /architecture is gemma/,
    ],
    [
      'another tokenizer',
      (file) => replaced(file, 'gpt2', 'bert'),
      'unsupported',
      /its tokenizer is "bert", cut as "gpt-2"; byte-level BPE/,
    ],
    [
      'weights that are not finite',
      (file) => {
        const copy = Buffer.from(file);
        copy.writeFloatLE(NaN, copy.length - 4);
        return copy;
      },
      'file_invalid',
      /lm_head|output.weight has a value that is not finite/,
    ],
    ['no model', () => Buffer.from('hello, world'), 'file_invalid', /header/],
  ])('is rejected with a reason: %s', (_, change, code, reason) => {
    const importing = () => imported(change(gguf));
    expect(importing).toThrow(reason);
    expect(importing).toThrow(expect.objectContaining({ code }));
  });

  it.each<[string, Partial<ModelImportTask>, RegExp]>([
    ['without config.json', { config: null }, /safetensors need a config.json/],
    ['without tokenizer.json', { tokenizer: null }, /safetensors need a tokenizer.json/],
    ['with scaled rotations', {}, /config.json: rope_scaling.rope_type/],
    ['that is cut otherwise', {}, /tokenizer.json: pre_tokenizer.type/],
    ['with merges of no tokens', {}, /its merge 0 makes no token of two tokens/],
    ['of a longer context than it has', { contextTokens: 512 }, /expected at most 256/],
  ])('in safetensors is rejected %s', (name, changes, reason) => {
    const { vocabulary } = model;
    const config = name.includes('rotations') ? { rope_scaling: { rope_type: 'yarn' } } : {};
    const tokenizer = name.includes('otherwise') ? { pre_tokenizer: { type: 'Sequence' } } : {};
    const merges = name.includes('merges') ? ['Ġ q#'] : vocabulary.merges;
    const files = {
      config: configOf(model, config),
      tokenizer: tokenizerOf({ ...vocabulary, merges }, tokenizer),
    };
    expect(() => imported(safetensorsOf(model), { ...files, ...changes })).toThrow(reason);
  });

  it('in safetensors is rejected with a tensor that a Llama does not have', () => {
    const bias = { shape: [32], values: new Float32Array(32) };
    const file = safetensorsOf(model, new Map([['model.layers.0.self_attn.q_proj.bias', bias]]));
    const files = { config: configOf(model), tokenizer: tokenizerOf(model.vocabulary) };
    expect(() => imported(file, files)).toThrow(/q_proj.bias has no place in a plain Llama/);
  });

  it('that is damaged anywhere is imported or rejected, and nothing else', async () => {
    const file = await microGguf();
    const headerBytes = parseGgufHeader(file).dataStart;
    const edit = fc.record({
      at: fc.oneof(fc.nat({ max: 400 }), fc.nat({ max: headerBytes + 64 })),
      bytes: fc.oneof(
        fc.uint8Array({ minLength: 1, maxLength: 9 }),
        fc.constant(Uint8Array.from({ length: 8 }, () => 255)),
        fc.constant(new Uint8Array(8)),
      ),
    });
    const cut = fc.option(fc.nat({ max: file.length }), { nil: file.length, freq: 6 });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), cut, (edits, length) => {
        const damaged = Buffer.from(file.subarray(0, length));
        for (const { at, bytes } of edits) {
          if (at < length) damaged.set(bytes.subarray(0, length - at), at);
        }
        try {
          imported(damaged);
        } catch (error) {
          if (!(error instanceof ModelImportError)) throw error;
        }
      }),
      { numRuns: 300, seed: 20_261_126 },
    );
  });

  it('whose side files or header of safetensors are damaged is rejected, and nothing else', () => {
    const whole = safetensorsOf(model);
    const [config, tokenizer] = [configOf(model), tokenizerOf(model.vocabulary)];
    const place = fc.record({ at: fc.nat({ max: 4_000 }), text: fc.string({ maxLength: 6 }) });
    const damaged = (text: string, { at, text: put }: { at: number; text: string }): string =>
      text.slice(0, at % text.length) + put + text.slice((at % text.length) + put.length);
    fc.assert(
      fc.property(place, place, place, fc.nat({ max: 2 }), (one, two, three, which) => {
        const file = Buffer.from(whole);
        if (which === 0) file.write(one.text, one.at);
        const files = {
          config: which === 1 ? damaged(config, two) : config,
          tokenizer: which === 2 ? damaged(tokenizer, three) : tokenizer,
        };
        try {
          imported(file, files);
        } catch (error) {
          if (!(error instanceof ModelImportError)) throw error;
        }
      }),
      { numRuns: 150, seed: 20_261_126 },
    );
  });
});
