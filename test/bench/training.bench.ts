/**
 * Training beside PyTorch, in one run on the same two processors: the same network (the shape of
 * nano), the same loss of a distillation, 8 rows of 256 tokens in a step.
 *
 *   npm --prefix test/bench run training -- --python PROGRAM
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import * as tf from '@tensorflow/tfjs-core';
// Relative, because this folder has a package.json of its own and with it no subpath imports.
import { AdamW } from '../../libs/engines/training/adam-w.optimizer.js';
import { lossAndGradients, startTensorFlow } from '../../libs/engines/training/gradient.shard.js';
import { learnerOf, type LearnerPlan, sharedModel } from '../../libs/engines/training/learner.js';
import { type LlamaShape } from '../../libs/engines/training/model/llama-shape.js';
import { ParallelGradients } from '../../libs/engines/training/parallel-gradients.js';
import { batchAt, waveTensors } from './training-sines.js';

const NANO: LlamaShape = {
  vocabulary: 1_280,
  width: 128,
  layers: 4,
  heads: 4,
  feedForwardWidth: 352,
  contextLength: 64,
  ropeBase: 10_000,
  normEpsilon: 1e-5,
};
const RUN = { rows: 8, positions: 256 } as const;
const [STEPS, WARM_UP] = [12, 3];
const ROUNDS = 3;
const RATE = 3e-3;

const { values } = parseArgs({ options: { python: { type: 'string', default: 'python3' } } });
const script = path.resolve('test/oracles/training/training.py');

const plan: LearnerPlan = {
  student: sharedModel(NANO, waveTensors(NANO, 1)),
  teacher: sharedModel(NANO, waveTensors(NANO, 2)),
  objective: { kind: 'distillation', temperature: 2, alpha: 0.75, beta: 0.25 },
  tuning: { kind: 'full' },
};

interface Measured {
  readonly tokensPerSecond: number;
  /** Of a step: the optimizer's part of the time, between 0 and 1. */
  readonly optimizerPart: number;
}

const measured = async (): Promise<Measured> => {
  const learner = learnerOf(plan);
  const gradients = await ParallelGradients.start(learner, plan);
  const optimizer = new AdamW();
  let [startedMs, optimizerMs] = [0, 0];
  for (let step = 0; step < WARM_UP + STEPS; step += 1) {
    if (step === WARM_UP) [startedMs, optimizerMs] = [performance.now(), 0];
    const found = await gradients.of(batchAt(step, RUN, NANO.vocabulary));
    const beforeMs = performance.now();
    optimizer.step(learner.learned, found.gradients, RATE);
    tf.dispose(found.gradients);
    optimizerMs += performance.now() - beforeMs;
  }
  const ms = performance.now() - startedMs;
  await gradients.stop();
  const tokens = STEPS * RUN.rows * RUN.positions;
  return { tokensPerSecond: (tokens / ms) * 1_000, optimizerPart: optimizerMs / ms };
};

/** The part of a step in one thread that products of matrices take, between 0 and 1. */
const productPart = async (): Promise<number> => {
  const learner = learnerOf(plan);
  const batch = batchAt(0, { ...RUN, rows: RUN.rows / 2 }, NANO.vocabulary);
  tf.dispose(lossAndGradients(learner, batch).gradients);
  const { kernels } = await tf.profile(() => {
    tf.dispose(lossAndGradients(learner, batch).gradients);
    return tf.scalar(0);
  });
  const times = await Promise.all(
    kernels.map(async ({ name, kernelTimeMs }) => ({ name, ms: Number(await kernelTimeMs) })),
  );
  const sum = (some: typeof times): number => some.reduce((total, { ms }) => total + ms, 0);
  return sum(times.filter(({ name }) => /MatMul|SliceProduct/.test(name))) / sum(times);
};

const torch = async (): Promise<number> => {
  const { stdout } = await promisify(execFile)(values.python, [script, 'speed']);
  return (JSON.parse(stdout) as { readonly tokens_per_second: number }).tokens_per_second;
};

await startTensorFlow();
for (let round = 1; round <= ROUNDS; round += 1) {
  const own = await measured();
  const peer = await torch();
  const figures = {
    round,
    own_tokens_per_second: Math.round(own.tokensPerSecond),
    torch_tokens_per_second: Math.round(peer),
    ratio: Number((own.tokensPerSecond / peer).toFixed(3)),
    optimizer_part: Number(own.optimizerPart.toFixed(3)),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
process.stdout.write(`${JSON.stringify({ product_part: await productPart() })}\n`);
