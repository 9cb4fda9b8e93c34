import * as tf from '@tensorflow/tfjs-core';
import type { Initial, ParameterOptions } from '#engines/spiking/operations/operations.js';
import { sizeOf } from '#engines/spiking/operations/tensor.js';
import type { NamedTensors } from '#platform/safetensors/safetensors.js';
import { seededRandom, stableHash } from '#engines/training/seeded-random.js';

/** The parameters of a network under training. Each starts from the seed and its own name. */
export class ParameterStore {
  readonly #variables = new Map<string, tf.Variable>();

  constructor(private readonly seed: number) {}

  /** Parameters that continue from stored weights. */
  static of(weights: NamedTensors): ParameterStore {
    const store = new ParameterStore(0);
    for (const [name, { shape, values }] of weights)
      store.get(name, shape, { initial: { values } });
    return store;
  }

  get(
    name: string,
    shape: readonly number[],
    { initial, trained = true }: ParameterOptions,
  ): tf.Variable {
    const known = this.#variables.get(name);
    if (known !== undefined) return known;
    const values = this.#start(name, sizeOf(shape), initial);
    // A variable outlives the `tidy` it is made in.
    const variable = tf.variable(tf.tensor(values, [...shape]), trained);
    this.#variables.set(name, variable);
    return variable;
  }

  #start(name: string, length: number, initial: Initial): Float32Array {
    if ('values' in initial) return initial.values;
    if ('value' in initial) return new Float32Array(length).fill(initial.value);
    const random = seededRandom(this.seed ^ stableHash(name));
    return Float32Array.from({ length }, () => initial.deviation * random.normal());
  }

  get trained(): ReadonlyMap<string, tf.Variable> {
    return new Map([...this.#variables].filter(([, { trainable }]) => trainable));
  }

  /** What exists is trained no further. */
  freeze(): void {
    for (const variable of this.#variables.values()) variable.trainable = false;
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
