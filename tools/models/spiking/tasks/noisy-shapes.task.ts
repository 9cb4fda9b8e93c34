/** Shapes under so much noise that they must be denoised to be seen. */
import { LEVELS, signalAt } from '#engines/spiking/models/spiking-diffusion.model.js';
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { shapes8 } from './shapes.task.js';
import type { ClassificationTask } from './task.js';

/** Pixels in [-1, 1]. */
const centred = (picture: Float32Array): Float32Array => picture.map((value) => 2 * value - 1);

export interface CleanPictures {
  /** 64 for each picture. */
  readonly pictures: Float32Array;
  readonly labels: Int32Array;
}

export const cleanPictures = (random: SeededRandom, count: number): CleanPictures => {
  const drawn = Array.from({ length: count }, () => shapes8.draw(random));
  return {
    pictures: Float32Array.from(drawn.flatMap(({ input }) => [...centred(input)])),
    labels: Int32Array.from(drawn, ({ label }) => label),
  };
};

const SIGNAL = signalAt(LEVELS - 1);

export const noisyShapes: ClassificationTask = {
  name: 'noisy-shapes-8x8',
  description:
    'A picture of 8x8 pixels in [-1, 1] that shows a drawn shape, scaled down and covered by ' +
    `Gaussian noise (${(100 * (1 - SIGNAL)).toFixed(0)} % of the variance); the class is the ` +
    'shape.',
  inputShape: shapes8.inputShape,
  classes: shapes8.classes,
  draw(random) {
    const { input, label } = shapes8.draw(random);
    const noisy = centred(input).map(
      (value) => Math.sqrt(SIGNAL) * value + Math.sqrt(1 - SIGNAL) * random.normal(),
    );
    return { input: noisy, label };
  },
};
