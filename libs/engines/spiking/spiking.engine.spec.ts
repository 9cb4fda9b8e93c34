import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SpikingModelCard } from './model-card.js';
import { SpikingEngine, spikingCatalog } from './spiking.engine.js';
import { SpikingEnd, SpikingInput, type SpikingOutcome } from './spiking.protocol.js';

const MODELS = fileURLToPath(new URL('../../../models', import.meta.url));

const SLUG = 'snnlib/hybrid-spiking-cnn';
const never = new AbortController().signal;

const asking = (changes: Partial<SpikingInput>): SpikingInput =>
  SpikingInput.parse({
    slug: SLUG,
    inputData: 'How do I debug a memory leak?',
    timesteps: 8,
    neuron: null,
    raster: false,
    session: null,
    ...changes,
  });

describe('SpikingEngine', () => {
  let engine: SpikingEngine;
  let card: SpikingModelCard;

  beforeAll(async () => {
    engine = new SpikingEngine([MODELS]);
    const found = (await spikingCatalog([MODELS])).find(({ slug }) => slug === SLUG);
    if (found === undefined) throw new Error('no card');
    card = found;
  });

  afterAll(() => engine.close());

  it('classifies an array by the native head, counts and says so', async () => {
    const end = await engine.run(asking({ inputData: card.exampleInput, raster: true }), never);
    expect(SpikingEnd.parse(end)).toEqual(end);
    expect(card.native.classes).toContain(end.classification.topClass);
    expect(end.classification.domain).toBe('textures-16x16');
    expect(end.weightsSha256).toBe(card.weightsSha256);
    const { counts, raster, completion } = end;
    expect(counts.neurons).toBe(128);
    const shown = counts.layers.find(({ name }) => name === card.rasterLayer);
    expect((raster ?? '').split('|').length - 1).toBe(shown?.spikes);
    expect(completion).toContain(`${counts.synapticEvents} synaptic events`);
    expect(counts.macs).toBeLessThanOrEqual(card.bounds.macs + 8 * card.bounds.macsPerTimestep);
  });

  it('classifies a text by the domain head', async () => {
    const { classification, raster } = await engine.run(asking({}), never);
    expect(card.domains).toContain(classification.topClass);
    expect(classification.domain).toBe('prompt-domains');
    expect(raster).toBeNull();
  });

  it('gives the same answer to the same input', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => engine.run(asking({}), never)));
    expect({ ...one, latencyMs: 0 }).toEqual({ ...other, latencyMs: 0 });
  });

  it('runs another neuron on request', async () => {
    const end = await engine.run(asking({ neuron: 'ContinuousLIFNode' }), never);
    expect(end.neuron).toBe('ContinuousLIFNode');
    const plain = await engine.run(asking({}), never);
    expect(end.counts.macs).toBeGreaterThan(plain.counts.macs);
  });

  it('continues the membranes of a session', async () => {
    const input = { inputData: card.exampleInput, timesteps: 3 };
    const first = await engine.run(asking({ ...input, session: 'a' }), never);
    const second = await engine.run(asking({ ...input, session: 'a' }), never);
    const six = await engine.run(asking({ ...input, timesteps: 6 }), never);
    expect([first.sessionRuns, second.sessionRuns]).toEqual([0, 1]);
    expect(first.counts.spikes + second.counts.spikes).toBe(six.counts.spikes);
  });

  it.each([
    ['an unknown network', { slug: 'snnlib/none' }, 'model_unknown', /known: .*hybrid-spiking-cnn/],
    [
      'a neuron the network lacks',
      { slug: 'snnlib/dvs-convnet', neuron: 'LIFNode' as const },
      'neuron_unsupported',
      /cannot run with LIFNode, only with PLIFNode/,
    ],
    ['a ragged array', { inputData: [[1, 2], [3]] }, 'input_invalid', /differ in length/],
  ])('rejects %s', async (_, changes, code, message) => {
    const failure = engine.run(asking(changes), never);
    await expect(failure).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('runs several inputs in one call, each as it would alone', async () => {
    const network = { slug: SLUG, timesteps: 5, neuron: null };
    const inputs = ['a text', card.exampleInput, [[1, 2], [3]], 'another text', card.exampleInput];
    const outcomes = await engine.runMany({ ...network, inputs }, never);
    const alone = await Promise.all(
      inputs.map(async (inputData) => {
        try {
          return { end: await engine.run(asking({ ...network, inputData }), never) };
        } catch (error) {
          return { rejection: (error as Error).message };
        }
      }),
    );
    const untimed = (all: readonly SpikingOutcome[]) =>
      all.map((one) => ('end' in one ? { end: { ...one.end, latencyMs: 0 } } : one));
    expect(untimed(outcomes)).toEqual(untimed(alone));
    expect(outcomes[2]).toEqual({ rejection: expect.stringContaining('differ in length') });
    await expect(
      engine.runMany({ ...network, slug: 'snnlib/none', inputs }, never),
    ).rejects.toMatchObject({ code: 'model_unknown' });
  });

  it('does not run for a caller who has left', async () => {
    await expect(engine.run(asking({}), AbortSignal.abort())).rejects.toThrow('aborted');
  });

  it('is closed once', async () => {
    const other = new SpikingEngine([MODELS]);
    await other.run(asking({}), never);
    await other.close();
    await expect(other.run(asking({}), never)).rejects.toMatchObject({ code: 'closed' });
    await other.close();
  });
});

describe('weights on disk', () => {
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'quipu-spiking-'));
    await cp(path.join(MODELS, 'spiking/hybrid-cnn'), path.join(home, 'spiking/hybrid-cnn'), {
      recursive: true,
    });
  });

  afterAll(() => rm(home, { recursive: true }));

  it('must belong to the card', async () => {
    const file = path.join(home, 'spiking/hybrid-cnn/model.safetensors');
    const bytes = await readFile(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(file, bytes);
    const engine = new SpikingEngine([home]);
    await expect(engine.run(asking({}), never)).rejects.toMatchObject({
      code: 'weights_invalid',
      message: expect.stringContaining('the card says'),
    });
    await engine.close();
  });

  it('may be absent', async () => {
    expect(await spikingCatalog([path.join(home, 'nowhere')])).toEqual([]);
  });
});
