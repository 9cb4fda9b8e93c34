import { type ImageEnd, type ImageTask } from './image-diffusion.protocol.js';
import { type LoadedModel } from './model.js';
import { numbersOf, pixelsOf } from './sampling/pixels.js';
import { draw } from './sampling/sampler.js';

/** Draws one picture. */
export const drawTask = ({ denoiser, card }: LoadedModel, task: ImageTask): ImageEnd => {
  const startedAt = performance.now();
  const { start, ...drawing } = task;
  const picture = start && numbersOf(Buffer.from(start.pixels, 'base64'));
  const numbers = draw(denoiser, {
    ...drawing,
    start: start && picture && { picture, strength: start.strength },
  });
  return {
    pixels: Buffer.from(pixelsOf(numbers)).toString('base64'),
    weightsSha256: card.weightsSha256,
    elapsedMs: performance.now() - startedAt,
  };
};
