/** Quantized models against llama.cpp, `gguf` and PyTorch. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import { getLlama, type Llama, type Token } from 'node-llama-cpp';
import { packTrits } from '#engines/quantization/bitnet/packed-trits.js';
import { quantizeActivations, ternarize } from '#engines/quantization/bitnet/ternarize.js';
import { TernaryKernels } from '#engines/quantization/bitnet/ternary-kernels.js';
import { type Coding } from '#engines/quantization/codings.js';
import { quantizedFile } from '#engines/quantization/file/quantized-file.js';
import { type BlockFormat, encodeTensor } from '#engines/llama-layers/formats/block-format.js';
import * as linearFormats from '#engines/llama-layers/formats/linear-formats.js';
import { TQ1_0, TQ2_0 } from '#engines/llama-layers/formats/ternary-formats.js';
import { lossOver, perplexityOf } from '#engines/quantization/measure/text-loss.js';
import { MeasuredModel } from '#engines/quantization/model/measured-model.js';
import { startTensorFlow } from '#engines/training/gradient.shard.js';
import { linear } from '#engines/training/model/llama.gradients.js';
import { TERNARY_PROJECTIONS } from '#engines/training/model/ternary.projections.js';
import { quantizationVectors } from './quantization/vectors.js';

const FORMATS: readonly BlockFormat[] = [...Object.values(linearFormats), TQ1_0, TQ2_0];
const VALUE_DIFFERENCE_MAX = 1e-6;
/** Sums of a hundred products of about 1 in 32-bit floats. */
const PRODUCT_DIFFERENCE_MAX = 4e-6;

const fileOf = (file: string): string =>
  fileURLToPath(new URL(`../../models/${file}`, import.meta.url));
const NANO = fileOf('nano.gguf');
/** The beginning is enough: four windows of tokens, read by both programs in each coding. */
const TEXT = readFileSync(fileOf('corpora/quipu-held-out.txt'), 'utf8').slice(0, 2_400);

const { encoders, nano, bitnet } = quantizationVectors();

const near = (
  ours: ArrayLike<number>,
  theirs: readonly number[],
  most = VALUE_DIFFERENCE_MAX,
): void => {
  expect(ours).toHaveLength(theirs.length);
  const differences = theirs.map((value, at) => Math.abs(value - (ours[at] ?? NaN)));
  expect(Math.max(...differences)).toBeLessThan(most);
};

describe.each(FORMATS)('blocks of $name', (format) => {
  it('are the bytes of llama.cpp', () => {
    const bytes = Buffer.from(encoders.weights, 'base64');
    const weights = new Float32Array(Uint8Array.from(bytes).buffer);
    const blocks = Buffer.from(encodeTensor(format, weights));
    expect(blocks.toString('base64')).toBe(encoders.blocks[format.name]);
  });

  it('are the bytes of llama.cpp for tensors of nano', async () => {
    const model = await MeasuredModel.open(NANO, TEXT, 'multiply');
    const recorded = Object.entries(nano).filter(([, digests]) => format.name in digests);
    expect(recorded.length).toBeGreaterThan(0);
    for (const [tensor, digests] of recorded) {
      const { restored } = model.code(tensor, 'F32');
      const digest = createHash('sha256').update(encodeTensor(format, restored)).digest('hex');
      expect(digest).toBe(digests[format.name]);
    }
  });
});

describe('the arithmetic of BitNet', () => {
  const { tokens, width, rows } = bitnet;

  it('has the trits and the scale of PyTorch', () => {
    const { trits, scale } = ternarize(Float32Array.from(bitnet.w));
    expect([...trits]).toEqual(bitnet.trits);
    near([scale], [bitnet.scale]);
  });

  it('has the activations of PyTorch', () => {
    const { values, steps } = quantizeActivations(Float32Array.from(bitnet.x), width);
    expect([...values]).toEqual(bitnet.values);
    near(steps, bitnet.steps);
  });

  it('has the products of PyTorch in both kernels', () => {
    const packed = packTrits(Int8Array.from(bitnet.trits), width);
    const kernels = new TernaryKernels();
    const values = Int8Array.from(bitnet.values);
    const sums = kernels.product('multiply', packed, values, width);
    expect(kernels.product('add_subtract', packed, values, width)).toEqual(sums);
    expect(sums).toHaveLength(tokens * rows);
    const y = Array.from(sums, (sum, at) => {
      return sum * bitnet.scale * (bitnet.steps[Math.floor(at / rows)] ?? NaN);
    });
    expect(Math.max(...y.map((one, at) => Math.abs(one - (bitnet.y[at] ?? NaN))))).toBeLessThan(
      2e-6,
    );
  });
});

describe('the straight-through estimator', () => {
  it('has the products and the gradients of PyTorch', async () => {
    await startTensorFlow();
    const { tokens, width, rows } = bitnet;
    const x = tf.tensor2d([...bitnet.x], [tokens, width]);
    const w = tf.transpose(tf.tensor2d([...bitnet.w], [rows, width]));
    const upstream = tf.tensor2d([...bitnet.upstream], [tokens, rows]);
    const product = (activations: tf.Tensor, weights: tf.Tensor): tf.Tensor =>
      linear(TERNARY_PROJECTIONS.input(activations), TERNARY_PROJECTIONS.matrix('any', weights));
    const { value, grads } = tf.valueAndGrads(product)([x, w], upstream);
    const [dx, dw] = grads;
    near(value.dataSync<'float32'>(), bitnet.y, PRODUCT_DIFFERENCE_MAX);
    near(dx?.dataSync<'float32'>() ?? [], bitnet.dx);
    near(tf.transpose(dw ?? w).dataSync<'float32'>(), bitnet.dw, PRODUCT_DIFFERENCE_MAX);
  });
});

describe('quantized files in llama.cpp', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'quantized-'));
  let llama: Llama;
  let model: MeasuredModel;

  beforeAll(async () => {
    llama = await getLlama({ gpu: false, build: 'never', progressLogs: false });
    model = await MeasuredModel.open(NANO, TEXT, 'add_subtract');
  });

  afterAll(async () => {
    await llama.dispose();
    rmSync(folder, { recursive: true });
  });

  const perplexityInLlama = async (modelPath: string): Promise<number> => {
    const loaded = await llama.loadModel({ modelPath });
    const context = await loaded.createContext({
      contextSize: 256,
      threads: 1,
      flashAttention: false,
      experimentalKvCacheKeyType: 'F32',
      experimentalKvCacheValueType: 'F32',
    });
    const sequence = context.getSequence();
    const wanted = { generateNext: { logits: true } } as const;
    const logits = new Map<Int32Array, Float32Array>();
    for (const window of model.windows) {
      await sequence.clearHistory();
      const read = await sequence.controlledEvaluate(
        Array.from(window, (id) => [id as Token, wanted] as const),
      );
      const rows = read.map((one) => {
        const row = new Float32Array(one?.next.logits?.size ?? 0);
        one?.next.logits?.forEach((logit, id) => (row[id] = logit));
        return row;
      });
      logits.set(window, Float32Array.from(rows.flatMap((row) => [...row])));
    }
    await loaded.dispose();
    return perplexityOf(
      lossOver(model.windows, (window) => logits.get(window) ?? new Float32Array()),
    );
  };

  it.each<Coding>(['F32', 'Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'BITNET'])(
    'have our perplexity in %s to 1 %',
    async (coding) => {
      const coded = new Map(
        model.source.header.tensors.map(({ name, dimensions }) => {
          const isMatrix = dimensions.length === 2 && name.startsWith('blk.');
          return [name, model.code(name, isMatrix ? coding : 'F32')];
        }),
      );
      const file = path.join(folder, `${coding}.gguf`);
      writeFileSync(file, Buffer.concat(quantizedFile(model.source, `nano ${coding}`, coded)));
      const ours = perplexityOf(await model.loss(coded));
      const theirs = await perplexityInLlama(file);
      expect(Math.abs(theirs / ours - 1)).toBeLessThan(0.01);
    },
  );
});
