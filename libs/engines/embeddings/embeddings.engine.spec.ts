import { fork } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Embedder, type EmbedderRequest, InputFault } from './embedder.js';
import { EmbeddingsEngine } from './embeddings.engine.js';
import { type EmbeddingPiece } from './embeddings.protocol.js';
import { GgufEmbedder } from './gguf/gguf.embedder.js';
import { LexicalEmbedder } from './lexical/lexical.embedder.js';
import { ModelFiles, sha256Of } from './model-files.js';

const MODELS = path.resolve(import.meta.dirname, '../../../models');
const LEXICAL = path.join(MODELS, 'embeddings/quipu-embed-768/model.safetensors');
const NANO = path.join(MODELS, 'nano.gguf');
const never = new AbortController().signal;

/** A vector for each input, which holds its length; `bad` is at fault. */
class ScriptedEmbedder implements Embedder {
  readonly asked: EmbedderRequest[] = [];

  embed(request: EmbedderRequest) {
    this.asked.push(request);
    const at = request.inputs.indexOf('bad');
    if (at !== -1) return Promise.reject(new InputFault('input_unreadable', 'it is bad', at));
    return Promise.resolve(
      request.inputs.map(({ length }) => ({ vector: Float32Array.of(length, -1), tokens: length })),
    );
  }

  close = () => Promise.resolve();
}

const drain = async (engine: EmbeddingsEngine, inputs: readonly string[], signal = never) => {
  const pieces: EmbeddingPiece[] = [];
  const running = engine.run({ modelFile: 'm.safetensors', inputs, dimensions: null }, signal);
  let next = await running.next();
  for (; !next.done; next = await running.next()) pieces.push(next.value);
  return { pieces, end: next.value };
};

describe('the embeddings engine', () => {
  it('answers a few inputs at a time, in order', async () => {
    const lexical = new ScriptedEmbedder();
    const engine = new EmbeddingsEngine({ lexical });
    const inputs = Array.from({ length: 19 }, (_, at) => 'x'.repeat(at + 1));
    const { pieces, end } = await drain(engine, inputs);
    expect(pieces.map(({ length }) => length)).toEqual([8, 8, 3]);
    expect(pieces.flat().map(({ tokens }) => tokens)).toEqual(inputs.map(({ length }) => length));
    expect(Buffer.from(pieces[0]?.[2]?.vector ?? '', 'base64')).toEqual(
      Buffer.from(Float32Array.of(3, -1).buffer),
    );
    expect(end).toEqual({ dimensions: 2 });
    expect(engine.embedded).toBe(19);
  });

  it('names the input at fault by its place in the whole list', async () => {
    const engine = new EmbeddingsEngine({ lexical: new ScriptedEmbedder() });
    const inputs = [...Array<string>(10).fill('x'), 'bad'];
    await expect(drain(engine, inputs)).rejects.toMatchObject({
      code: 'input_unreadable',
      message: 'input[10]: it is bad',
    });
  });

  it('stops between pieces when the signal aborts', async () => {
    const lexical = new ScriptedEmbedder();
    const engine = new EmbeddingsEngine({ lexical });
    const caller = new AbortController();
    const inputs = Array<string>(20).fill('x');
    const running = engine.run({ modelFile: 'm', inputs, dimensions: null }, caller.signal);
    await running.next();
    caller.abort(new Error('left'));
    await expect(running.next()).rejects.toThrow('left');
    expect(lexical.asked).toHaveLength(1);
  });

  it('runs a file by its format', async () => {
    const [lexical, gguf] = [new ScriptedEmbedder(), new ScriptedEmbedder()];
    const engine = new EmbeddingsEngine({ lexical, gguf });
    await engine.run({ modelFile: 'm.gguf', inputs: ['a'], dimensions: 5 }, never).next();
    expect(lexical.asked).toEqual([]);
    expect(gguf.asked).toEqual([{ modelFile: 'm.gguf', inputs: ['a'], dimensions: 5 }]);
  });
});

describe('the thread of lexical models', () => {
  it('reports faults of models and of inputs, and lives on', async () => {
    const embedder = new LexicalEmbedder();
    const embed = (modelFile: string, ...inputs: readonly string[]) =>
      embedder.embed({ modelFile, inputs, dimensions: 4 });
    await expect(embed('/none/model.safetensors', 'a')).rejects.toMatchObject({
      code: 'model_file_missing',
    });
    await expect(embed(LEXICAL, 'a', '!')).rejects.toMatchObject({
      code: 'input_unreadable',
      at: 1,
    });
    const [first] = await embed(LEXICAL, 'knots');
    expect(first?.vector).toHaveLength(4);
    await embedder.close();
    await expect(embed(LEXICAL, 'a')).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('the process of GGUF models', () => {
  let folder: string;
  const open: GgufEmbedder[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-embed-'));
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });

  afterAll(() => rm(folder, { recursive: true }));

  const embedderOf = (program: string): GgufEmbedder => {
    const embedder = new GgufEmbedder(() =>
      fork('-', [], { execArgv: ['-e', program], serialization: 'advanced' }),
    );
    open.push(embedder);
    return embedder;
  };
  const request = { modelFile: NANO, inputs: ['a'], dimensions: null };

  it('fails what it had when it ends, and starts again', async () => {
    const embedder = embedderOf('process.on("message", () => process.exit(3))');
    const crashed = { code: 'crashed', message: expect.stringContaining('exit code 3') };
    await expect(embedder.embed(request)).rejects.toMatchObject(crashed);
    await expect(embedder.embed(request)).rejects.toMatchObject(crashed);
  });

  it('is ended with the embedder', async () => {
    const embedder = embedderOf('process.on("message", () => undefined)');
    const asked = embedder.embed(request);
    const failed = expect(asked).rejects.toMatchObject({ code: 'crashed' });
    // The file is looked at before the process is asked.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await embedder.close();
    await failed;
    await expect(embedder.embed(request)).rejects.toMatchObject({ code: 'closed' });
  });

  it('makes unit vectors of the vectors of llama.cpp', async () => {
    const reply = '{type:"embedded",id:request.id,vectors:[Float64Array.of(3,4,12)],tokens:[2]}';
    const embedder = embedderOf(
      `process.on("message",({type,request})=>type==="close"?process.exit():` +
        `process.send(${reply}))`,
    );
    const [one] = await embedder.embed({ ...request, dimensions: 2 });
    expect([...(one?.vector ?? [])]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
    await expect(embedder.embed({ ...request, dimensions: 4 })).rejects.toMatchObject({
      code: 'dimensions_unsupported',
    });
  });

  it('is not asked for a file that is absent or no GGUF file', async () => {
    const embedder = embedderOf('process.exit(9)');
    const absent = path.join(folder, 'absent.gguf');
    await expect(embedder.embed({ ...request, modelFile: absent })).rejects.toMatchObject({
      code: 'model_file_missing',
    });
    const other = path.join(folder, 'other.gguf');
    await writeFile(other, 'no model');
    await expect(embedder.embed({ ...request, modelFile: other })).rejects.toMatchObject({
      code: 'model_file_invalid',
    });
  });
});

describe('the model files of a machine', () => {
  it('are found by their digest', async () => {
    const files = new ModelFiles(['/absent', MODELS]);
    for (const file of [LEXICAL, NANO]) expect(await files.fileOf(await sha256Of(file))).toBe(file);
    const shipped = (await readdir(MODELS)).filter((name) => name.endsWith('.gguf'));
    const lexical = await readdir(path.dirname(path.dirname(LEXICAL)));
    expect(files.count).toBe(shipped.length + lexical.length);
    await expect(files.fileOf('ab'.repeat(32))).rejects.toMatchObject({
      code: 'model_file_missing',
    });
  });
});
