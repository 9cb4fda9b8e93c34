/** A decoder in Llama architecture on TensorFlow.js, under Hugging Face's tensor names. */
import * as tf from '@tensorflow/tfjs-core';
import {
  attend,
  causalMask,
  embed,
  linear,
  repeatSlices,
  rmsNorm,
  rotaryTables,
  rotate,
  swiglu,
} from './llama.gradients.js';
import { registerSliceProduct } from './slice-product.kernel.js';
import { registerStructuralGradients } from './structural.gradients.js';
import { PLAIN_PROJECTIONS, type Projections } from './projections.js';
import { type LlamaShape, type NamedTensor, tensorShapes } from './llama-shape.js';

export {
  initialTensors,
  layerMatrices,
  lengthOf,
  type LlamaShape,
  type NamedTensor,
  parametersOf,
  tensorShapes,
} from './llama-shape.js';

registerStructuralGradients();
registerSliceProduct();

export class LlamaModel {
  /** Matrices are `[in, out]`, as they are multiplied; the embedding is `[id, width]`. */
  readonly variables: ReadonlyMap<string, tf.Variable>;

  constructor(
    readonly shape: LlamaShape,
    tensors: readonly NamedTensor[],
    private readonly projections: Projections = PLAIN_PROJECTIONS,
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
    const output = this.shape.hasOutput === true ? 'lm_head' : 'model.embed_tokens';
    return linear(this.norm('model.norm', hidden), tf.transpose(this.weight(output)));
  }

  /** The weights as Hugging Face stores them. */
  tensors(): NamedTensor[] {
    return this.exported((_, stored) => stored);
  }

  /** With the matrices as they are multiplied, for a file that has nothing beside its weights. */
  multipliedTensors(): NamedTensor[] {
    return this.exported((name, stored) =>
      this.turns(name) ? this.projections.matrix(withoutWeight(name), stored) : stored,
    );
  }

  dispose(): void {
    for (const variable of this.variables.values()) variable.dispose();
  }

  private attention(name: string, x: tf.Tensor, { sequences, tables, mask }: Attention): tf.Tensor {
    const { heads, keyHeads = heads, width } = this.shape;
    const [tokens = 0] = x.shape;
    const positions = tokens / sequences;
    const headWidth = width / heads;
    const counts = [heads, keyHeads, keyHeads];
    const joint = this.projected(
      x,
      ['q', 'k', 'v'].map((role) => `${name}.self_attn.${role}_proj`),
    );
    const parts = tf.split(
      joint,
      counts.map((count) => count * headWidth),
      1,
    );
    const [q, k, v] = parts.map((part, index) => {
      const count = counts[index] ?? heads;
      const byHead = tf.reshape(part, [sequences, positions, count, headWidth]);
      const slices = [sequences * count, positions, headWidth];
      return tf.reshape(tf.transpose(byHead, [0, 2, 1, 3]), slices);
    }) as [tf.Tensor, tf.Tensor, tf.Tensor];
    const group = heads / keyHeads;
    const shared = (slices: tf.Tensor): tf.Tensor =>
      group === 1 ? slices : repeatSlices(slices, group);
    const mixed = attend(rotate(q, tables), shared(rotate(k, tables)), shared(v), mask);
    const byHead = tf.reshape(mixed, [sequences, heads, positions, headWidth]);
    const joined = tf.reshape(tf.transpose(byHead, [0, 2, 1, 3]), [tokens, width]);
    return this.projected(joined, [`${name}.self_attn.o_proj`]);
  }

  private feedForward(name: string, x: tf.Tensor): tf.Tensor {
    const joint = this.projected(x, [`${name}.mlp.gate_proj`, `${name}.mlp.up_proj`]);
    const [gate, up] = tf.split(joint, 2, 1) as [tf.Tensor, tf.Tensor];
    return this.projected(swiglu(gate, up), [`${name}.mlp.down_proj`]);
  }

  /** One product for several matrices needs fewer kernel calls, and fewer transposes of x. */
  private projected(x: tf.Tensor, modules: readonly string[]): tf.Tensor {
    const matrices = modules.map((module) => this.projections.matrix(module, this.weight(module)));
    const [first] = matrices;
    const joint = matrices.length === 1 && first ? first : tf.concat(matrices, 1);
    return linear(this.projections.input(x), joint);
  }

  private norm(name: string, x: tf.Tensor): tf.Tensor {
    return rmsNorm(x, this.weight(name), this.shape.normEpsilon);
  }

  private exported(of: (name: string, stored: tf.Tensor) => tf.Tensor): NamedTensor[] {
    return tensorShapes(this.shape).map(([name, shape]) => {
      const values = tf.tidy(() => {
        const used = of(name, this.variable(name));
        return (this.turns(name) ? tf.transpose(used) : used).dataSync<'float32'>();
      });
      return { name, shape, values };
    });
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

const withoutWeight = (name: string): string => name.replace(/\.weight$/, '');

interface Attention {
  readonly sequences: number;
  readonly tables: ReturnType<typeof rotaryTables>;
  readonly mask: tf.Tensor;
}
