/** Computes a range of layers on the WASM backend of TensorFlow.js. Synchronous: never on a loop
 * that answers HTTP. */
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-wasm';
import { LayerCache } from './layer-cache.js';
import { type LayerRange } from './layer-range.js';
import {
  EMBEDDING,
  type LlamaHeader,
  type LlamaShape,
  OUTPUT,
  OUTPUT_NORM,
} from './llama.header.js';
import {
  attend,
  causalMask,
  quarterTurn,
  rmsNorm,
  rotaryTables,
  type RotaryTables,
  rotate,
  swiglu,
} from './operations.js';
import { isFirst, isLast, type RangeWeights, readWeights } from './weights.js';

/** The input of a range: tokens at the first one, hidden states `[positions, width]` elsewhere. */
export type LayerInput = Int32Array | Float32Array;

interface Step {
  readonly tables: RotaryTables;
  /** Null for a single position, which sees everything before it. */
  readonly mask: tf.Tensor | null;
}

/** Computes `x W` for x `[positions, in]` in another way than with 32-bit floats. */
export type Product = (x: tf.Tensor) => tf.Tensor;

interface Head {
  readonly norm: tf.Tensor;
  /** `[width, vocabulary]`. */
  readonly output: tf.Tensor;
}

export class LayerStack {
  readonly #shape: LlamaShape;
  readonly #products: ReadonlyMap<string, Product>;
  readonly #matrices = new Map<string, tf.Tensor>();
  readonly #turn: tf.Tensor2D;
  readonly #embedding: Float32Array | null;
  readonly #head: Head | null;

  private constructor(
    { shape }: LlamaHeader,
    readonly range: LayerRange,
    weights: RangeWeights,
    ends: { readonly embeds: boolean; readonly predicts: boolean },
    products: ReadonlyMap<string, Product> = new Map(),
  ) {
    this.#shape = shape;
    this.#products = products;
    this.#turn = quarterTurn(shape);
    this.#embedding = ends.embeds ? (weights.get(EMBEDDING) ?? null) : null;
    for (const [name, values] of weights) {
      if (name.startsWith('blk.') && !products.has(name))
        this.#matrices.set(name, this.#load(name, values));
    }
    this.#head = ends.predicts ? this.#loadHead(weights) : null;
  }

  /** @throws as `readWeights` does */
  static async load(
    modelFile: string,
    header: LlamaHeader,
    range: LayerRange = { first: 0, last: header.shape.layers - 1 },
  ): Promise<LayerStack> {
    await startTensorFlow();
    const weights = await readWeights(modelFile, header, range);
    const ends = { embeds: isFirst(range), predicts: isLast(range, header) };
    return new LayerStack(header, range, weights, ends);
  }

  /**
   * All layers with weights that are at hand.
   * @param products by the name of the matrix that each one replaces
   */
  static async of(
    header: LlamaHeader,
    weights: RangeWeights,
    products: ReadonlyMap<string, Product>,
  ): Promise<LayerStack> {
    await startTensorFlow();
    const range = { first: 0, last: header.shape.layers - 1 };
    return new LayerStack(header, range, weights, { embeds: true, predicts: true }, products);
  }

  open(): LayerCache {
    return new LayerCache();
  }

  /**
   * Runs the next positions of a request. The same steps in the same order give the same bits,
   * however the layers are divided.
   * @returns hidden states `[positions, width]`; of the last range the logits of the last position,
   *   or nothing where they are not wanted
   */
  forward(cache: LayerCache, input: LayerInput, wantsLogits: boolean): Float32Array {
    return this.#advance(cache, input, (hidden) => this.#leave(hidden, wantsLogits));
  }

  /** The logits `[positions, vocabulary]` of every position of a text on its own. */
  everyLogit(tokens: Int32Array): Float32Array {
    const cache = this.open();
    const values = this.#advance(cache, tokens, (hidden) => this.#logits(hidden));
    cache.dispose();
    return values;
  }

  dispose(): void {
    for (const matrix of this.#matrices.values()) matrix.dispose();
    this.#turn.dispose();
    this.#head?.norm.dispose();
    this.#head?.output.dispose();
  }

  #advance(
    cache: LayerCache,
    input: LayerInput,
    leave: (hidden: tf.Tensor) => tf.Tensor,
  ): Float32Array {
    const count = input instanceof Int32Array ? input.length : input.length / this.#shape.width;
    const result = tf.tidy(() => {
      const step = this.#stepOf(cache.positions, count);
      let hidden: tf.Tensor = tf.tensor2d(this.#enter(input), [count, this.#shape.width]);
      for (let layer = this.range.first; layer <= this.range.last; layer += 1) {
        hidden = this.#block(layer, hidden, cache, step);
      }
      return leave(hidden);
    });
    cache.advance(count);
    const values = result.dataSync<'float32'>().slice();
    result.dispose();
    return values;
  }

  #enter(input: LayerInput): Float32Array {
    if (!(input instanceof Int32Array)) return input;
    const { width } = this.#shape;
    const embedding = this.#embedding;
    if (embedding === null) throw new Error('this range takes hidden states, not tokens');
    const rows = new Float32Array(input.length * width);
    input.forEach((id, row) =>
      rows.set(embedding.subarray(id * width, (id + 1) * width), row * width),
    );
    return rows;
  }

  #leave(hidden: tf.Tensor, wantsLogits: boolean): tf.Tensor {
    if (this.#head === null) return hidden;
    if (!wantsLogits) return tf.tensor1d(new Float32Array());
    const [count = 0, width = 0] = hidden.shape;
    return this.#logits(tf.slice(hidden, [count - 1, 0], [1, width]));
  }

  #logits(hidden: tf.Tensor): tf.Tensor {
    const head = this.#head;
    if (head === null) throw new Error('this range gives hidden states, not logits');
    return tf.matMul(rmsNorm(hidden, head.norm, this.#shape.normEpsilon), head.output);
  }

  #stepOf(past: number, count: number): Step {
    return {
      tables: rotaryTables(past, count, this.#shape),
      mask: count === 1 ? null : causalMask(past, count),
    };
  }

  #block(layer: number, hidden: tf.Tensor, cache: LayerCache, step: Step): tf.Tensor {
    const { normEpsilon } = this.#shape;
    const norm = (x: tf.Tensor, role: string): tf.Tensor =>
      rmsNorm(x, this.#matrix(`blk.${layer}.${role}.weight`), normEpsilon);
    const linear = (x: tf.Tensor, role: string): tf.Tensor => this.#linear(layer, role, x);
    const mixed = this.#attention(layer, norm(hidden, 'attn_norm'), cache, step);
    const between = tf.add(hidden, linear(mixed, 'attn_output'));
    const entering = norm(between, 'ffn_norm');
    const inner = swiglu(linear(entering, 'ffn_gate'), linear(entering, 'ffn_up'));
    return tf.add(between, linear(inner, 'ffn_down'));
  }

  #linear(layer: number, role: string, x: tf.Tensor): tf.Tensor {
    const name = `blk.${layer}.${role}.weight`;
    const product = this.#products.get(name);
    return product === undefined ? tf.matMul(x, this.#matrix(name)) : product(x);
  }

  #attention(layer: number, x: tf.Tensor, cache: LayerCache, { tables, mask }: Step): tf.Tensor {
    const { heads, keyHeads, headWidth } = this.#shape;
    const project = (role: string, count: number): tf.Tensor =>
      tf.reshape(this.#linear(layer, `attn_${role}`, x), [-1, count, headWidth]);
    const query = rotate(project('q', heads), tables, this.#turn);
    const seen = cache.of(layer);
    const joined = (fresh: tf.Tensor, known: tf.Tensor | undefined): tf.Tensor => {
      const byHead = tf.transpose(fresh, [1, 0, 2]);
      return tf.keep(known === undefined ? byHead : tf.concat([known, byHead], 1));
    };
    const keys = joined(rotate(project('k', keyHeads), tables, this.#turn), seen?.keys);
    const values = joined(project('v', keyHeads), seen?.values);
    cache.replace(layer, { keys, values });
    return attend(query, keys, values, mask);
  }

  #matrix(name: string): tf.Tensor {
    const matrix = this.#matrices.get(name);
    if (matrix === undefined) throw new Error(`this range has no ${name}`);
    return matrix;
  }

  #loadHead(weights: RangeWeights): Head {
    const { isTied, vocabulary, width } = this.#shape;
    const values = weights.get(isTied ? EMBEDDING : OUTPUT);
    const norm = weights.get(OUTPUT_NORM);
    if (values === undefined || norm === undefined) throw new Error('the last range has no output');
    return { norm: tf.tensor1d(norm), output: turned(values, vocabulary, width) };
  }

  #load(name: string, values: Float32Array): tf.Tensor {
    if (name.endsWith('_norm.weight')) return tf.tensor1d(values);
    const { width } = this.#shape;
    const leavesWidth = name.includes('attn_output') || name.includes('ffn_down');
    const rows = leavesWidth ? width : values.length / width;
    return turned(values, rows, values.length / rows);
  }
}

const startTensorFlow = async (): Promise<void> => {
  await tf.setBackend('wasm');
  await tf.ready();
};

/** Stored `[out, in]`, multiplied as `[in, out]`. */
const turned = (values: Float32Array, rows: number, columns: number): tf.Tensor =>
  tf.tidy(() => tf.transpose(tf.tensor2d(values, [rows, columns])));
