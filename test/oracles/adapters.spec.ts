/** Shipped adapters in llama.cpp and in TensorFlow.js, held to what `peft` computed from them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import { getLlama, type Llama, type Token } from 'node-llama-cpp';
import {
  type LoraAdapter,
  LORA_TARGET_NAMES,
  LORA_TARGETS,
} from '#areas/adapters/lora/lora-adapter.js';
import { writeLoraGguf } from '#areas/adapters/lora/lora-gguf.js';
import { readPeftWeights } from '#areas/adapters/lora/peft-weights.js';
import { AdapterManifest } from '#areas/adapters/shipped-card.js';
import { EmbeddedBaseModels } from '#apps/composition/adapters/base-models.binding.js';
import { type BaseModel } from '#areas/adapters/base-models.port.js';
import { type GgufModel, readGguf, writeGguf } from '#engines/training/files/gguf.js';
import { startTensorFlow } from '#engines/training/gradient.shard.js';
import { LlamaModel, type NamedTensor } from '#engines/training/model/llama.model.js';
import { adapterVectors } from './adapters/vectors.js';

const MODELS = path.resolve(import.meta.dirname, '../../models');
const NANO = path.join(MODELS, 'nano.gguf');
const vectors = adapterVectors();
/** Of logits. */
const PEFT_DIFFERENCE_MAX = 1e-4;
const MERGED_DIFFERENCE_MAX = 1e-5;

/** W + alpha / rank * B A, in doubles. */
const merged = (
  tensors: readonly NamedTensor[],
  { rank, alpha, pairs }: LoraAdapter,
): NamedTensor[] =>
  tensors.map((tensor) => {
    const pair = pairs.find(
      ({ layer, target }) =>
        tensor.name === `model.layers.${layer}.${LORA_TARGETS[target].module}.${target}.weight`,
    );
    if (!pair) return tensor;
    const { a, b, inputs } = pair;
    const values = tensor.values.map((value, index) => {
      const [row, column] = [Math.floor(index / inputs), index % inputs];
      let sum = 0;
      for (let at = 0; at < rank; at += 1) {
        sum += (b[row * rank + at] ?? NaN) * (a[at * inputs + column] ?? NaN);
      }
      return value + (alpha / rank) * sum;
    });
    return { ...tensor, values };
  });

const largestDifference = (one: ArrayLike<number>, other: ArrayLike<number>): number =>
  Array.from(one, (value, index) => Math.abs(value - (other[index] ?? NaN))).reduce(
    (most, value) => (value > most || Number.isNaN(value) ? value : most),
    0,
  );

describe('shipped adapters', () => {
  let folder: string;
  let llama: Llama;
  let nano: GgufModel;
  let base: BaseModel;
  let manifest: AdapterManifest;

  beforeAll(async () => {
    await startTensorFlow();
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-lora-'));
    llama = await getLlama({ gpu: false, build: 'never', progressLogs: false });
    nano = readGguf(await readFile(NANO));
    const model = { rigs: ['here'], file: NANO };
    const rigs = [{ name: 'here', kind: 'embedded' }] as const;
    base = await new EmbeddedBaseModels({ model: () => model, rigs: () => rigs }).find('nano');
    const text = await readFile(path.join(MODELS, 'adapters', 'manifest.json'), 'utf8');
    manifest = AdapterManifest.parse(JSON.parse(text));
  });

  afterAll(async () => {
    await llama.dispose();
    await rm(folder, { recursive: true });
  });

  const loraOf = async (slug: string): Promise<LoraAdapter> => {
    const weights = await readFile(path.join(MODELS, 'adapters', `${slug}.safetensors`));
    const { rank, alpha } = manifest;
    return readPeftWeights(weights, { rank, alpha, targets: LORA_TARGET_NAMES }, base);
  };

  /** Logits after the last id of each prompt. */
  const inLlamaCpp = async (
    modelPath: string,
    prompts: readonly (readonly number[])[],
    lora?: string,
  ): Promise<readonly number[][]> => {
    const model = await llama.loadModel({ modelPath });
    const context = await model.createContext({
      contextSize: 256,
      threads: 1,
      flashAttention: false,
      experimentalKvCacheKeyType: 'F32',
      experimentalKvCacheValueType: 'F32',
      ...(lora !== undefined && { lora: { adapters: [{ filePath: lora }] } }),
    });
    const sequence = context.getSequence();
    const found: number[][] = [];
    for (const ids of prompts) {
      await sequence.clearHistory();
      const wanted = { generateNext: { logits: true, options: {} } };
      const results = await sequence.controlledEvaluate(
        ids.map((id, at) => (at < ids.length - 1 ? (id as Token) : [id as Token, wanted])),
      );
      const logits = results.at(-1)?.next.logits ?? new Map<Token, number>();
      found.push(
        Array.from({ length: nano.shape.vocabulary }, (_, id) => logits.get(id as Token) ?? NaN),
      );
    }
    await model.dispose();
    return found;
  };

  it('were made for the nano that ships', () => {
    expect(manifest.baseSha256).toBe(base.sha256);
    expect(vectors.baseSha256).toBe(base.sha256);
    expect(vectors.adapters.length).toBeGreaterThanOrEqual(4);
  });

  it.each(vectors.adapters)('agree with peft, apart and merged: $slug', async (recorded) => {
    const { slug, sha256, mergedDifference } = recorded;
    expect(manifest.adapters.find((card) => card.slug === slug)?.sha256).toBe(sha256);
    expect(mergedDifference).toBeLessThan(MERGED_DIFFERENCE_MAX);
    const adapter = await loraOf(slug);
    const prompts = recorded.prompts.map(({ ids }) => ids);
    const expected = recorded.prompts.flatMap(({ logits }) => logits);

    const loraFile = path.join(folder, `${slug}.gguf`);
    await writeFile(loraFile, writeLoraGguf(adapter, base));
    const apart = (await inLlamaCpp(NANO, prompts, loraFile)).flat();
    expect(largestDifference(apart, expected)).toBeLessThan(PEFT_DIFFERENCE_MAX);

    const tensors = merged(nano.tensors, adapter);
    const mergedFile = path.join(folder, `${slug}.merged.gguf`);
    await writeFile(mergedFile, writeGguf({ ...nano, tensors }));
    const together = (await inLlamaCpp(mergedFile, prompts)).flat();
    expect(largestDifference(apart, together)).toBeLessThan(MERGED_DIFFERENCE_MAX);

    const model = new LlamaModel(nano.shape, tensors);
    const { vocabulary } = nano.shape;
    const trained = prompts.flatMap((ids) => {
      const logits = tf.tidy(() => model.logits(Int32Array.from(ids), 1).dataSync<'float32'>());
      return [...logits.subarray((ids.length - 1) * vocabulary)];
    });
    model.dispose();
    expect(largestDifference(trained, expected)).toBeLessThan(PEFT_DIFFERENCE_MAX);
  });
});
