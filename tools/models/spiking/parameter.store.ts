import * as tf from '@tensorflow/tfjs-core';
import type { ParameterOptions } from '#engines/spiking/operations/operations.js';
import { sizeOf } from '#engines/spiking/operations/tensor.js';
import type { NamedTensors } from '#engines/spiking/weights/safetensors.js';
import { seededRandom, stableHash } from '../seeded-random.js';

/** The parameters of a network under training. Each starts from the seed and its own name. */
export class ParameterStore {
  readonly #variables = new Map<string, tf.Variable>();

  constructor(private readonly seed: number) {}

  get(
    name: string,
    shape: readonly number[],
    { initial, trained = true }: ParameterOptions,
  ): tf.Variable {
    const known = this.#variables.get(name);
    if (known !== undefined) return known;
    const random = seededRandom(this.seed ^ stableHash(name));
    const draw = (place: number): number => {
      if ('values' in initial) return initial.values[place] ?? 0;
      return 'value' in initial ? initial.value : initial.deviation * random.normal();
    };
    const values = Float32Array.from({ length: sizeOf(shape) }, (_, place) => draw(place));
    // A variable outlives the `tidy` it is made in.
    const variable = tf.variable(tf.tensor(values, [...shape]), trained);
    this.#variables.set(name, variable);
    return variable;
  }

  get trained(): ReadonlyMap<string, tf.Variable> {
    return new Map([...this.#variables].filter(([, { trainable }]) => trainable));
  }

  weights(): NamedTensors {
    const stored = [...this.#variables].map(([name, variable]) => {
      const values = new Float32Array(variable.dataSync<'float32'>());
      return [name, { shape: [...variable.shape], values }] as const;
    });
    return new Map(stored);
  }

  dispose(): void {
    for (const variable of this.#variables.values()) variable.dispose();
  }
}
