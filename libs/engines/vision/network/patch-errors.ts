import { type NamedTensors } from '#platform/safetensors/safetensors.js';
import { DETECTOR_SIDE } from './detector.js';

/** Pixels of a side of a patch. */
export const PATCH = 8;
const COLOURS = 3;
const LENGTH = COLOURS * PATCH * PATCH;

/**
 * How well the patches of a frame can be made of the principal components of usual patches. The
 * numbers of a patch are by colour, then row, then column.
 */
export class PatchErrors {
  readonly #mean: Float32Array;
  readonly #components: readonly Float32Array[];

  /** @throws Error for components of other patches */
  constructor(weights: NamedTensors) {
    const mean = weights.get('patches.mean');
    const components = weights.get('patches.components');
    const [count = 0, length] = components?.shape ?? [];
    if (!mean || !components || length !== LENGTH || mean.values.length !== LENGTH) {
      throw new Error(`the weights have no components of ${LENGTH} numbers`);
    }
    this.#mean = mean.values;
    this.#components = Array.from({ length: count }, (_, at) =>
      components.values.subarray(at * LENGTH, (at + 1) * LENGTH),
    );
  }

  get components(): number {
    return this.#components.length;
  }

  /** The mean squared error of each patch, row by row. @param pixels as the detector's */
  of(pixels: Float32Array): Float32Array {
    const side = DETECTOR_SIDE / PATCH;
    return Float32Array.from({ length: side * side }, (_, at) =>
      this.#errorOf(this.#patchAt(pixels, Math.floor(at / side) * PATCH, (at % side) * PATCH)),
    );
  }

  #patchAt(pixels: Float32Array, top: number, left: number): Float32Array {
    return Float32Array.from({ length: LENGTH }, (_, at) => {
      const colour = Math.floor(at / (PATCH * PATCH));
      const y = top + (Math.floor(at / PATCH) % PATCH);
      const pixel = y * DETECTOR_SIDE + left + (at % PATCH);
      return (pixels[pixel * COLOURS + colour] ?? 0) - (this.#mean[at] ?? 0);
    });
  }

  #errorOf(patch: Float32Array): number {
    const rest = Float64Array.from(patch);
    for (const component of this.#components) {
      let share = 0;
      for (let at = 0; at < LENGTH; at += 1) share += (component[at] ?? 0) * (patch[at] ?? 0);
      for (let at = 0; at < LENGTH; at += 1) {
        rest[at] = (rest[at] ?? 0) - share * (component[at] ?? 0);
      }
    }
    return rest.reduce((sum, value) => sum + value * value, 0) / LENGTH;
  }
}
