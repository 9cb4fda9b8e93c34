import { encodeNative, encodeText } from '#engines/spiking/encoders/input.encoder.js';
import type { Architecture, Head } from '#engines/spiking/model.js';
import { sizeOf, tensorOf, type DataTensor } from '#engines/spiking/operations/tensor.js';
import type { Split } from '../corpus/corpus.generator.js';
import { seededRandom, type SeededRandom } from '#engines/training/seeded-random.js';
import { drawPrompt } from './tasks/prompts.generator.js';
import type { ClassificationTask, InputTask } from './tasks/task.js';

/** One input as the network reads it, for a batch of one, with its class. */
export interface LabelledInput {
  readonly x: DataTensor;
  readonly label: number;
}

export interface InputSource {
  readonly architecture: Architecture;
  readonly task: InputTask;
  /** Timesteps, to which prompts and sequences are brought. */
  readonly steps: number;
}

export interface ExampleSource extends InputSource {
  readonly task: ClassificationTask;
}

export const heldOutRandom = (seed: number): SeededRandom => seededRandom(~seed);

/** Held-out inputs come from another seed, held-out prompts also name other subjects. */
const randomOf = (split: Split, seed: number): SeededRandom =>
  split === 'training' ? seededRandom(seed) : heldOutRandom(seed);

const encoded = ({ architecture, task, steps }: InputSource, input: Float32Array): DataTensor =>
  architecture.encodeArray
    ? architecture.encodeArray({ shape: task.inputShape, values: input }, steps)
    : encodeNative(architecture, input, steps);

export const drawPrompts = (
  { architecture, steps }: InputSource,
  split: Split,
  seed: number,
  count: number,
): readonly LabelledInput[] => {
  const random = randomOf(split, seed);
  return Array.from({ length: count }, () => {
    const { text, label } = drawPrompt(split, random);
    return { x: encodeText(architecture, text, steps), label };
  });
};

export const drawExamples = (
  source: ExampleSource,
  head: Head,
  split: Split,
  seed: number,
  count: number,
): readonly LabelledInput[] => {
  if (head === 'text') return drawPrompts(source, split, seed, count);
  const random = randomOf(split, seed);
  return Array.from({ length: count }, () => {
    const { input, label } = source.task.draw(random, split);
    return { x: encoded(source, input), label };
  });
};

/** As `drawExamples`, without labels: for tasks that have none. */
export const drawInputs = (
  source: InputSource,
  head: Head,
  split: Split,
  seed: number,
  count: number,
): readonly DataTensor[] => {
  if (head === 'text') return drawPrompts(source, split, seed, count).map(({ x }) => x);
  const random = randomOf(split, seed);
  return Array.from({ length: count }, () =>
    encoded(source, source.task.draw(random, split).input),
  );
};

/** Joins inputs along the batch. */
export const joinInputs = (inputs: readonly DataTensor[]): DataTensor => {
  const [first] = inputs;
  if (first === undefined) throw new RangeError('a batch needs an input');
  const [steps = 1, , ...shape] = first.shape;
  const size = sizeOf(shape);
  const values = new Float32Array(steps * inputs.length * size);
  for (const [place, x] of inputs.entries()) {
    for (let step = 0; step < steps; step += 1) {
      const from = x.values.subarray(step * size, (step + 1) * size);
      values.set(from, (step * inputs.length + place) * size);
    }
  }
  return tensorOf(values, [steps, inputs.length, ...shape], first.code);
};

export const batchOf = (
  examples: readonly LabelledInput[],
): { readonly x: DataTensor; readonly labels: Int32Array } => ({
  x: joinInputs(examples.map(({ x }) => x)),
  labels: Int32Array.from(examples, ({ label }) => label),
});
