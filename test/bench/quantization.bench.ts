/**
 * Measures ternary products beside products of floats, and a ternary model beside its original in
 * llama.cpp, in turns and in one run: `npm run quantization -- [model.gguf]`. Another process on
 * the same cores only makes a turn longer, so that the best of several turns counts.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { getLlama, type Llama, type Token } from 'node-llama-cpp';
import { packTrits } from '../../libs/engines/quantization/bitnet/packed-trits.js';
import { TernaryKernels } from '../../libs/engines/quantization/bitnet/ternary-kernels.js';
import { quantizedFile } from '../../libs/engines/quantization/file/quantized-file.js';
import { encodeTensor } from '../../libs/engines/llama-layers/formats/block-format.js';
import { Q4_0 } from '../../libs/engines/llama-layers/formats/linear-formats.js';
import { MeasuredModel } from '../../libs/engines/quantization/model/measured-model.js';

const ROUNDS = 7;
const [ROWS, WIDTH, TOKENS] = [1_024, 1_024, 64] as const;

const best = async (lanes: Readonly<Record<string, () => unknown>>): Promise<string[]> => {
  const fastest = new Map<string, number>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [lane, turn] of Object.entries(lanes)) {
      const startedAt = performance.now();
      await turn();
      const ms = performance.now() - startedAt;
      // The first round warms the kernels up.
      if (round > 0) fastest.set(lane, Math.min(fastest.get(lane) ?? Infinity, ms));
    }
  }
  return [...fastest].map(([lane, ms]) => `${lane}: ${ms.toFixed(2)} ms`);
};

const compareProducts = async (): Promise<void> => {
  const kernels = new TernaryKernels();
  const trits = Int8Array.from({ length: ROWS * WIDTH }, (_, at) => ((at * 7_919) % 3) - 1);
  const values = Int8Array.from(
    { length: TOKENS * WIDTH },
    (_, at) => ((at * 104_729) % 255) - 127,
  );
  const packed = packTrits(trits, WIDTH);
  const x = tf.tensor2d(Float32Array.from(values), [TOKENS, WIDTH]);
  const w = tf.tensor2d(Float32Array.from(trits), [ROWS, WIDTH]);
  const turned = tf.transpose(w);
  const floats = Float32Array.from(trits, (trit) => trit * 0.02);
  const lines = await best({
    'trits, multiplied': () => kernels.product('multiply', packed, values, WIDTH),
    'trits, added and subtracted': () => kernels.product('add_subtract', packed, values, WIDTH),
    'TensorFlow.js, 32-bit floats': () => tf.tidy(() => tf.matMul(x, turned).dataSync()),
    'encoding the matrix as Q4_0': () => encodeTensor(Q4_0, floats),
  });
  console.log(`${TOKENS} tokens by a matrix of ${ROWS} x ${WIDTH}, ${ROUNDS} rounds, the best:`);
  for (const line of lines) console.log(`  ${line}`);
};

/** Reads the windows of a text, without sampling. */
const readerOf = async (llama: Llama, modelPath: string, windows: readonly Int32Array[]) => {
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize: 256, threads: 1 });
  const sequence = context.getSequence();
  return async (): Promise<void> => {
    for (const window of windows) {
      await sequence.clearHistory();
      await sequence.evaluateWithoutGeneratingNewTokens([...window] as Token[]);
    }
  };
};

const compareModels = async (modelFile: string): Promise<void> => {
  const text = await readFile(path.resolve('models/corpora/quipu-held-out.txt'), 'utf8');
  const model = await MeasuredModel.open(modelFile, text.slice(0, 2_400), 'add_subtract');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-bench-'));
  const llama = await getLlama({ gpu: false, build: 'never', progressLogs: false });
  try {
    const { tensors } = model.source.header;
    const coded = new Map(
      tensors.map(({ name, dimensions }) => {
        const isLinear = dimensions.length === 2 && name.startsWith('blk.');
        return [name, model.code(name, isLinear ? 'BITNET' : 'F32')];
      }),
    );
    const ternary = path.join(folder, 'ternary.gguf');
    await writeFile(ternary, Buffer.concat(quantizedFile(model.source, 'bench', coded)));
    const formats = new Set([...coded.values()].map(({ format }) => format));
    const lines = await best({
      'llama.cpp, 32-bit floats': await readerOf(llama, modelFile, model.windows),
      [`llama.cpp, ternary (${[...formats].join(', ')})`]: await readerOf(
        llama,
        ternary,
        model.windows,
      ),
      'this engine, 32-bit floats': () => model.loss(new Map()),
      'this engine, ternary without multiplications': () => model.loss(coded),
    });
    const tokens = model.windows.length * (model.windows[0]?.length ?? 0);
    console.log(`${path.basename(modelFile)} reads ${tokens} tokens on one thread, the best:`);
    for (const line of lines) console.log(`  ${line}`);
  } finally {
    await llama.dispose();
    await rm(folder, { recursive: true });
  }
};

await tf.ready();
await compareProducts();
await compareModels(path.resolve(process.argv[2] ?? 'models/mini.gguf'));
