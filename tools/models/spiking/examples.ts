import { encodeNative, encodeText } from '#engines/spiking/encoders/input.encoder.js';
import type { Architecture, Head } from '#engines/spiking/model.js';
import { sizeOf, tensorOf, type DataTensor } from '#engines/spiking/operations/tensor.js';
import type { Split } from '../corpus/corpus.generator.js';
import { seededRandom, type SeededRandom } from '../seeded-random.js';
import { drawPrompt } from './tasks/prompts.generator.js';
import type { ClassificationTask } from './tasks/task.js';

/** One input as the network reads it, for a batch of one, with its class. */
export interface LabelledInput {
  readonly x: DataTensor;
  readonly label: number;
}

export interface ExampleSource {
  readonly architecture: Architecture;
  readonly task: ClassificationTask;
  /** Timesteps, to which prompts and sequences are brought. */
  readonly steps: number;
}

export const heldOutRandom = (seed: number): SeededRandom => seededRandom(~seed);

/** Held-out inputs come from another seed, held-out prompts also name other subjects. */
export const drawExamples = (
  { architecture, task, steps }: ExampleSource,
  head: Head,
  split: Split,
  seed: number,
  count: number,
): readonly LabelledInput[] => {
  const random = split === 'training' ? seededRandom(seed) : heldOutRandom(seed);
  const draw =
    head === 'native'
      ? nativeDraw(architecture, task, steps, split)
      : textDraw(architecture, steps, split);
  return Array.from({ length: count }, () => draw(random));
};

const nativeDraw =
  (architecture: Architecture, task: ClassificationTask, steps: number, split: Split) =>
  (random: SeededRandom): LabelledInput => {
    const { input, label } = task.draw(random, split);
    const grid = { shape: task.inputShape, values: input };
    const x = architecture.encodeArray
      ? architecture.encodeArray(grid, steps)
      : encodeNative(architecture, input, steps);
    return { x, label };
  };

const textDraw =
  (architecture: Architecture, steps: number, split: Split) =>
  (random: SeededRandom): LabelledInput => {
    const { text, label } = drawPrompt(split, random);
    return { x: encodeText(architecture, text, steps), label };
  };

/** Joins inputs along the batch. */
export const batchOf = (
  examples: readonly LabelledInput[],
): { readonly x: DataTensor; readonly labels: Int32Array } => {
  const [first] = examples;
  if (first === undefined) throw new RangeError('a batch needs an example');
  const [steps = 1, , ...shape] = first.x.shape;
  const size = sizeOf(shape);
  const values = new Float32Array(steps * examples.length * size);
  for (const [place, { x }] of examples.entries()) {
    for (let step = 0; step < steps; step += 1) {
      const from = x.values.subarray(step * size, (step + 1) * size);
      values.set(from, (step * examples.length + place) * size);
    }
  }
  return {
    x: tensorOf(values, [steps, examples.length, ...shape], first.x.code),
    labels: Int32Array.from(examples, ({ label }) => label),
  };
};
