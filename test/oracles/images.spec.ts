/** PyTorch against the engine: the same pictures of the same weights. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadModel } from '#engines/image-diffusion/model.js';
import { PICTURE_LENGTH } from '#engines/image-diffusion/network/denoiser.js';
import { draw } from '#engines/image-diffusion/sampling/sampler.js';
import { type Scene } from '#engines/image-diffusion/scene.js';

interface Recorded {
  readonly weightsSha256: string;
  readonly cases: readonly {
    readonly scene: Scene;
    readonly seed: number;
    readonly steps: number;
    readonly guidance: number;
    readonly strength: number | null;
    readonly numbers: readonly number[];
  }[];
}

const recorded = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'images/vectors.json'), 'utf8'),
) as Recorded;
const { card, denoiser } = loadModel([path.resolve('models')]);
/** Of numbers between -1 and 1: an eightieth of the step of a pixel. */
const DIFFERENCE_MAX = 1e-4;

describe('PyTorch', () => {
  it('had the weights that ship', () => {
    expect(recorded.weightsSha256).toBe(card.weightsSha256);
  });

  it.each(recorded.cases)(
    'draws $scene.shape at $steps steps and a guidance of $guidance as the engine does',
    ({ numbers, strength, ...drawing }) => {
      const start =
        strength === null ? null : { picture: new Float32Array(PICTURE_LENGTH), strength };
      const drawn = draw(denoiser, { ...drawing, start });
      expect(numbers).toHaveLength(drawn.length);
      const differences = numbers.map((number, at) => Math.abs(number - (drawn[at] ?? 0)));
      expect(Math.max(...differences)).toBeLessThan(DIFFERENCE_MAX);
    },
  );
});
