import { describe, expect, it } from '@jest/globals';
import { type EngineDefinition } from '#platform/tasks/engine.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { embeddingsEngine } from './embeddings.engine.js';
import { createEmbeddingRunner } from './embeddings-over-tasks.js';

const SHA256 = 'ab'.repeat(32);
const REQUEST = { modelFile: '/models/m.gguf', inputs: ['a', [1, 2]], dimensions: null };
const never = new AbortController().signal;
const piece = (...tokens: readonly number[]) =>
  tokens.map((one) => ({ vector: 'AAAA', tokens: one }));

/** Answers with two pieces; without an end for a caller that left. */
class ScriptedTasks extends Tasks {
  asked: unknown;

  constructor(
    readonly seesLocalFiles: boolean,
    private readonly isLeft = false,
  ) {
    super();
  }

  async *run<Input, Piece, End>(
    { input, piece: pieces, end }: EngineDefinition<Input, Piece, End>,
    asked: Input,
  ): AsyncGenerator<Piece, End | null, void> {
    this.asked = await input.parseAsync(asked);
    yield await pieces.parseAsync(piece(3, 4));
    yield await pieces.parseAsync(piece(5));
    return this.isLeft ? null : end.parseAsync({ dimensions: 1 });
  }
}

const over = (tasks: Tasks) => createEmbeddingRunner(tasks, () => Promise.resolve(SHA256));

describe('embeddings as tasks', () => {
  it('ask workers for the model by its contents', async () => {
    const tasks = new ScriptedTasks(false);
    await over(tasks).embed(REQUEST, never, () => undefined);
    const { modelFile, ...rest } = REQUEST;
    expect(tasks.asked).toEqual({ ...rest, modelSha256: SHA256 });
    expect(JSON.stringify(tasks.asked)).not.toContain(modelFile);
  });

  it('name the file where this process runs the model', async () => {
    const tasks = new ScriptedTasks(true);
    await over(tasks).embed(REQUEST, never, () => undefined);
    expect(tasks.asked).toEqual(REQUEST);
  });

  it('gather vectors and tokens, and report them on the way', async () => {
    const progress: number[] = [];
    const runner = over(new ScriptedTasks(true));
    expect(await runner.embed(REQUEST, never, (tokens) => progress.push(tokens))).toEqual({
      vectors: ['AAAA', 'AAAA', 'AAAA'],
      promptTokens: 12,
    });
    expect(progress).toEqual([7, 12]);
  });

  it('end with their caller', async () => {
    const runner = over(new ScriptedTasks(true, true));
    await expect(runner.embed(REQUEST, never, () => undefined)).rejects.toMatchObject({
      reason: 'client_gone',
    });
  });
});

describe('the embeddings engine of a process', () => {
  it('opens without loading a model, and finds models where it is a worker', async () => {
    const host = {
      modelFolders: [new URL('../../../models', import.meta.url).pathname],
      instance: 'i',
      home: '/',
      settings: new Map(),
      clock: { now: () => 0 },
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    };
    const here = await embeddingsEngine.open({ ...host, place: 'in-process' });
    expect(here.status()).toMatchObject({ ready: true, facts: { models: 0 } });
    const worker = await embeddingsEngine.open({ ...host, place: 'worker' });
    expect(worker.status()).toMatchObject({ ready: true, facts: { models: expect.any(Number) } });
    const empty = await embeddingsEngine.open({ ...host, place: 'worker', modelFolders: [] });
    expect(empty.status()).toMatchObject({ ready: false });
    const task = { inputs: ['a'], dimensions: null, modelSha256: SHA256 };
    await expect(empty.run(task, never).next()).rejects.toMatchObject({
      code: 'model_file_missing',
    });
    await Promise.all([here, worker, empty].map((engine) => engine.close()));
  });
});
