/** AdamW (Loshchilov and Hutter, arXiv 1711.05101) with clipping of the global gradient norm. */
import * as tf from '@tensorflow/tfjs-core';

const BETA_1 = 0.9;
const BETA_2 = 0.98;
const EPSILON = 1e-8;
const WEIGHT_DECAY = 0.05;
const GRADIENT_NORM_MAX = 1;

interface Moments {
  readonly first: tf.Variable;
  readonly second: tf.Variable;
}

/** Everything that the next step depends on beside the variables; flat, in the order of these. */
export interface OptimizerState {
  readonly steps: number;
  readonly first: Float32Array;
  readonly second: Float32Array;
}

/** By a name that stays the same in another process. */
export type Variables = ReadonlyMap<string, tf.Variable>;

export class AdamW {
  private readonly moments = new Map<string, Moments>();
  private steps = 0;

  /** Of the variables that were moved. */
  state(variables: Variables): OptimizerState {
    const all = [...variables.values()];
    return {
      steps: this.steps,
      first: flat(all.map((variable) => this.momentsOf(variable).first)),
      second: flat(all.map((variable) => this.momentsOf(variable).second)),
    };
  }

  /** The next step is the one that followed the state, to the bit. */
  restore(variables: Variables, { steps, first, second }: OptimizerState): void {
    this.steps = steps;
    let offset = 0;
    for (const variable of variables.values()) {
      const moments = this.momentsOf(variable);
      for (const [moment, values] of [
        [moments.first, first],
        [moments.second, second],
      ] as const) {
        const part = values.slice(offset, offset + variable.size);
        tf.tidy(() => moment.assign(tf.tensor(part, variable.shape)));
      }
      offset += variable.size;
    }
  }

  dispose(): void {
    for (const { first, second } of this.moments.values()) tf.dispose([first, second]);
    this.moments.clear();
  }

  /** Moves every variable once. Keys of `gradients` are variable names (see `tf.variableGrads`). */
  step(variables: Variables, gradients: tf.NamedTensorMap, learningRate: number): void {
    this.steps += 1;
    tf.tidy(() => {
      const squares = Object.values(gradients).map((gradient) => tf.sum(tf.square(gradient)));
      const [norm = 0] = tf.sqrt(tf.addN(squares)).dataSync();
      const clip = Math.min(1, GRADIENT_NORM_MAX / (norm + 1e-6));
      for (const variable of variables.values()) {
        const gradient = gradients[variable.name];
        if (gradient !== undefined) this.move(variable, tf.mul(gradient, clip), learningRate);
      }
    });
  }

  private move(variable: tf.Variable, gradient: tf.Tensor, learningRate: number): void {
    const { first, second } = this.momentsOf(variable);
    first.assign(tf.add(tf.mul(first, BETA_1), tf.mul(gradient, 1 - BETA_1)));
    second.assign(tf.add(tf.mul(second, BETA_2), tf.mul(tf.square(gradient), 1 - BETA_2)));
    const rate = (learningRate * Math.sqrt(1 - BETA_2 ** this.steps)) / (1 - BETA_1 ** this.steps);
    const change = tf.mul(tf.div(first, tf.add(tf.sqrt(second), EPSILON)), rate);
    // Gains are vectors and are not decayed; matrices are.
    const kept = variable.rank > 1 ? tf.mul(variable, 1 - learningRate * WEIGHT_DECAY) : variable;
    variable.assign(tf.sub(kept, change));
  }

  private momentsOf(variable: tf.Variable): Moments {
    const known = this.moments.get(variable.name);
    if (known !== undefined) return known;
    // Variables made inside `tf.tidy` outlive it, which is what the moments must do.
    const zeros = (): tf.Variable => tf.variable(tf.zeros(variable.shape), false);
    const moments = { first: zeros(), second: zeros() };
    this.moments.set(variable.name, moments);
    return moments;
  }
}

const flat = (tensors: readonly tf.Tensor[]): Float32Array => {
  const values = new Float32Array(tensors.reduce((sum, { size }) => sum + size, 0));
  let offset = 0;
  for (const tensor of tensors) {
    values.set(tensor.dataSync<'float32'>(), offset);
    offset += tensor.size;
  }
  return values;
};
