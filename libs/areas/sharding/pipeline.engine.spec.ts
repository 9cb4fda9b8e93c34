/** The engine as a worker opens it: it has no path of a file, and settings of its own. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { engineHost } from '#platform/tasks/counting.engine.fake.js';
import { type Engine } from '#platform/tasks/engine.js';
import { modelDigests, pipelineEngine } from './pipeline.engine.js';
import { type PipelineEnd, type PipelinePiece, type PipelineTask } from './pipeline.task.js';
import { SHARDING_SETTINGS, type ShardingSettings } from './sharding.settings.js';

const MODELS = fileURLToPath(new URL('../../../models', import.meta.url));

describe('the engine of pipelines on a worker', () => {
  let engine: Engine<PipelineTask, PipelinePiece, PipelineEnd>;
  let modelSha256: string;

  beforeAll(async () => {
    const settings: ShardingSettings = {
      stages: 2,
      standbys: 0,
      runningMax: 1,
      requestMsMax: 60_000,
      wireguardInterface: null,
    };
    engine = await pipelineEngine.open({
      ...engineHost('worker', 'weaver'),
      modelFolders: [`${MODELS}/absent`, MODELS],
      settings: new Map([[SHARDING_SETTINGS, settings]]),
    });
    modelSha256 = await modelDigests()(`${MODELS}/nano.gguf`);
  });

  afterAll(() => engine.close());

  const run = async (changes: Partial<PipelineTask> = {}) => {
    const task = {
      modelSha256,
      messages: [{ role: 'user', content: 'Hello!' }],
      maxTokens: 4,
      temperature: 0,
      transport: 'websocket',
    };
    const pieces = engine.run(
      { ...task, ...changes } as PipelineTask,
      new AbortController().signal,
    );
    const seen: PipelinePiece[] = [];
    let next = await pieces.next();
    for (; !next.done; next = await pieces.next()) seen.push(next.value);
    return { seen, end: next.value };
  };

  it('finds its own copy of a model, and names its stages', async () => {
    const { seen, end } = await run();
    expect(seen.map(([, completionTokens]) => completionTokens)).toEqual([1, 2, 3, 4]);
    expect(pipelineEngine.end.parse(end)).toEqual(end);
    for (const piece of seen) expect(pipelineEngine.piece.parse(piece)).toEqual(piece);
    expect(end).toMatchObject({ modelSha256, completionTokens: 4, finishReason: 'length' });
    expect(end.stages).toMatchObject([
      { node: expect.stringMatching(/^weaver:\d+$/), first: 0, last: 1 },
      { node: expect.stringMatching(/^weaver:\d+$/), first: 2, last: 3 },
    ]);
  });

  it('says that it lacks a model, or an interface', async () => {
    await expect(run({ modelSha256: 'f'.repeat(64) })).rejects.toMatchObject({
      code: 'model_file_missing',
    });
    await expect(run({ transport: 'wireguard_direct' })).rejects.toMatchObject({
      code: 'transport_unavailable',
    });
  });
});
