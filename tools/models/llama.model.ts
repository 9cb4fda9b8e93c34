/** A decoder in Llama architecture on TensorFlow.js, under Hugging Face's tensor names. */
import * as tf from '@tensorflow/tfjs-core';
import {
  attend,
  causalMask,
  embed,
  linear,
  rmsNorm,
  rotaryTables,
  rotate,
  swiglu,
} from './llama.gradients.js';
import type { SeededRandom } from './seeded-random.js';
import { registerSliceProduct } from './slice-product.kernel.js';
import { registerStructuralGradients } from './structural.gradients.js';

export interface LlamaShape {
  readonly vocabulary: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly feedForwardWidth: number;
  readonly contextLength: number;
  readonly ropeBase: number;
  readonly normEpsilon: number;
}

/** A named matrix or vector. Matrices are `[out, in]`, as Hugging Face and GGUF store them. */
export interface NamedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const layerMatrices = ({
  width,
  feedForwardWidth,
}: LlamaShape): Record<string, [number, number]> => ({
  'self_attn.q_proj': [width, width],
  'self_attn.k_proj': [width, width],
  'self_attn.v_proj': [width, width],
  'self_attn.o_proj': [width, width],
  'mlp.gate_proj': [feedForwardWidth, width],
  'mlp.up_proj': [feedForwardWidth, width],
  'mlp.down_proj': [width, feedForwardWidth],
});

/** Every tensor of the shape, in a fixed order; the output matrix is the embedding (tied). */
export const tensorShapes = (shape: LlamaShape): [string, number[]][] => [
  ['model.embed_tokens.weight', [shape.vocabulary, shape.width]],
  ...Array.from({ length: shape.layers }, (_, layer): [string, number[]][] => [
    [`model.layers.${layer}.input_layernorm.weight`, [shape.width]],
    [`model.layers.${layer}.post_attention_layernorm.weight`, [shape.width]],
    ...Object.entries(layerMatrices(shape)).map(([name, size]): [string, number[]] => [
      `model.layers.${layer}.${name}.weight`,
      size,
    ]),
  ]).flat(),
  ['model.norm.weight', [shape.width]],
];

/** Gains start at 1, matrices normal at 0.02; those of the residual are scaled down by depth. */
export const initialTensors = (shape: LlamaShape, random: SeededRandom): NamedTensor[] =>
  tensorShapes(shape).map(([name, size]) => {
    const values = new Float32Array(size.reduce((product, length) => product * length, 1));
    const residual = /(o_proj|down_proj)/.test(name) ? 1 / Math.sqrt(2 * shape.layers) : 1;
    const deviation = (name.includes('embed') ? 0.02 : 1 / Math.sqrt(size[1] ?? 1)) * residual;
    const draw = size.length === 1 ? () => 1 : () => random.normal() * deviation;
    return { name, shape: size, values: values.map(draw) };
  });

registerStructuralGradients();
registerSliceProduct();

export class LlamaModel {
  /** Matrices are `[in, out]`, as they are multiplied; the embedding is `[id, width]`. */
  readonly variables: ReadonlyMap<string, tf.Variable>;

  constructor(
    readonly shape: LlamaShape,
    tensors: readonly NamedTensor[],
  ) {
    this.variables = new Map(
      tensors.map(({ name, shape: size, values }) => {
        const stored = tf.tensor(values, [...size]);
        const oriented = this.turns(name) ? tf.transpose(stored) : stored;
        return [name, tf.variable(oriented)];
      }),
    );
  }

  /**
   * Logits `[sequences * positions, vocabulary]` of `ids`, row-major `[sequences, positions]`.
   * The caller disposes them, or runs inside `tf.tidy`.
   */
  logits(ids: Int32Array, sequences: number): tf.Tensor {
    const positions = ids.length / sequences;
    const headWidth = this.shape.width / this.shape.heads;
    const tables = rotaryTables(positions, headWidth, this.shape.ropeBase);
    const mask = causalMask(positions);
    let hidden = embed(this.weight('model.embed_tokens'), ids);
    for (let layer = 0; layer < this.shape.layers; layer += 1) {
      const name = `model.layers.${layer}`;
      const attended = this.attention(name, this.norm(`${name}.input_layernorm`, hidden), {
        sequences,
        tables,
        mask,
      });
      hidden = tf.add(hidden, attended);
      const fed = this.feedForward(name, this.norm(`${name}.post_attention_layernorm`, hidden));
      hidden = tf.add(hidden, fed);
    }
    const output = tf.transpose(this.weight('model.embed_tokens'));
    return linear(this.norm('model.norm', hidden), output);
  }

  /** The weights as Hugging Face stores them. */
  tensors(): NamedTensor[] {
    return tensorShapes(this.shape).map(([name, shape]) => {
      const variable = this.variable(name);
      const values = tf.tidy(() =>
        (this.turns(name) ? tf.transpose(variable) : variable).dataSync<'float32'>(),
      );
      return { name, shape, values };
    });
  }

  dispose(): void {
    for (const variable of this.variables.values()) variable.dispose();
  }

  private attention(name: string, x: tf.Tensor, { sequences, tables, mask }: Attention): tf.Tensor {
    const { heads, width } = this.shape;
    const [tokens = 0] = x.shape;
    const positions = tokens / sequences;
    const split = ['q', 'k', 'v'].map((role) => this.weight(`${name}.self_attn.${role}_proj`));
    // One product for the three keeps the number of kernel calls, and of transposes of x, down.
    const [q, k, v] = tf.split(linear(x, tf.concat(split, 1)), 3, 1).map((part) => {
      const byHead = tf.reshape(part, [sequences, positions, heads, width / heads]);
      const slices = [sequences * heads, positions, width / heads];
      return tf.reshape(tf.transpose(byHead, [0, 2, 1, 3]), slices);
    }) as [tf.Tensor, tf.Tensor, tf.Tensor];
    const mixed = attend(rotate(q, tables), rotate(k, tables), v, mask);
    const byHead = tf.reshape(mixed, [sequences, heads, positions, width / heads]);
    const joined = tf.reshape(tf.transpose(byHead, [0, 2, 1, 3]), [sequences * positions, width]);
    return linear(joined, this.weight(`${name}.self_attn.o_proj`));
  }

  private feedForward(name: string, x: tf.Tensor): tf.Tensor {
    const split = ['gate', 'up'].map((role) => this.weight(`${name}.mlp.${role}_proj`));
    const [gate, up] = tf.split(linear(x, tf.concat(split, 1)), 2, 1) as [tf.Tensor, tf.Tensor];
    return linear(swiglu(gate, up), this.weight(`${name}.mlp.down_proj`));
  }

  private norm(name: string, x: tf.Tensor): tf.Tensor {
    return rmsNorm(x, this.weight(name), this.shape.normEpsilon);
  }

  private weight(module: string): tf.Tensor {
    return this.variable(`${module}.weight`);
  }

  private variable(name: string): tf.Variable {
    const variable = this.variables.get(name);
    if (variable === undefined) throw new RangeError(`the checkpoint has no ${name}`);
    return variable;
  }

  private turns(name: string): boolean {
    return name.includes('_proj');
  }
}

interface Attention {
  readonly sequences: number;
  readonly tables: ReturnType<typeof rotaryTables>;
  readonly mask: tf.Tensor;
}
