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

interface Head {
  readonly norm: tf.Tensor;
  /** `[width, vocabulary]`. */
  readonly output: tf.Tensor;
}

export class LayerStack {
  readonly #shape: LlamaShape;
  readonly #matrices = new Map<string, tf.Tensor>();
  readonly #turn: tf.Tensor2D;
  readonly #embedding: Float32Array | null;
  readonly #head: Head | null;

  private constructor(
    { shape }: LlamaHeader,
    readonly range: LayerRange,
    weights: RangeWeights,
    ends: { readonly embeds: boolean; readonly predicts: boolean },
  ) {
    this.#shape = shape;
    this.#turn = quarterTurn(shape);
    this.#embedding = ends.embeds ? (weights.get(EMBEDDING) ?? null) : null;
    for (const [name, values] of weights) {
      if (name.startsWith('blk.')) this.#matrices.set(name, this.#load(name, values));
    }
    this.#head = ends.predicts ? this.#loadHead(weights) : null;
  }

  /** @throws as `readWeights` does */
  static async load(
    modelFile: string,
    header: LlamaHeader,
    range: LayerRange = { first: 0, last: header.shape.layers - 1 },
  ): Promise<LayerStack> {
    await tf.setBackend('wasm');
    await tf.ready();
    const weights = await readWeights(modelFile, header, range);
    const ends = { embeds: isFirst(range), predicts: isLast(range, header) };
    return new LayerStack(header, range, weights, ends);
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
    const count = input instanceof Int32Array ? input.length : input.length / this.#shape.width;
    const result = tf.tidy(() => {
      const step = this.#stepOf(cache.positions, count);
      let hidden: tf.Tensor = tf.tensor2d(this.#enter(input), [count, this.#shape.width]);
      for (let layer = this.range.first; layer <= this.range.last; layer += 1) {
        hidden = this.#block(layer, hidden, cache, step);
      }
      return this.#leave(hidden, wantsLogits);
    });
    cache.advance(count);
    const values = result.dataSync<'float32'>().slice();
    result.dispose();
    return values;
  }

  dispose(): void {
    for (const matrix of this.#matrices.values()) matrix.dispose();
    this.#turn.dispose();
    this.#head?.norm.dispose();
    this.#head?.output.dispose();
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
    const head = this.#head;
    if (head === null) return hidden;
    if (!wantsLogits) return tf.tensor1d(new Float32Array());
    const [count = 0, width = 0] = hidden.shape;
    const last = tf.slice(hidden, [count - 1, 0], [1, width]);
    return tf.matMul(rmsNorm(last, head.norm, this.#shape.normEpsilon), head.output);
  }

  #stepOf(past: number, count: number): Step {
    return {
      tables: rotaryTables(past, count, this.#shape),
      mask: count === 1 ? null : causalMask(past, count),
    };
  }

  #block(layer: number, hidden: tf.Tensor, cache: LayerCache, step: Step): tf.Tensor {
    const { normEpsilon } = this.#shape;
    const of = (role: string): tf.Tensor => this.#matrix(`blk.${layer}.${role}.weight`);
    const normed = rmsNorm(hidden, of('attn_norm'), normEpsilon);
    const attended = tf.matMul(this.#attention(layer, normed, cache, step), of('attn_output'));
    const between = tf.add(hidden, attended);
    const entering = rmsNorm(between, of('ffn_norm'), normEpsilon);
    const inner = swiglu(tf.matMul(entering, of('ffn_gate')), tf.matMul(entering, of('ffn_up')));
    return tf.add(between, tf.matMul(inner, of('ffn_down')));
  }

  #attention(layer: number, x: tf.Tensor, cache: LayerCache, { tables, mask }: Step): tf.Tensor {
    const { heads, keyHeads, headWidth } = this.#shape;
    const project = (role: string, count: number): tf.Tensor =>
      tf.reshape(tf.matMul(x, this.#matrix(`blk.${layer}.attn_${role}.weight`)), [
        -1,
        count,
        headWidth,
      ]);
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

/** Stored `[out, in]`, multiplied as `[in, out]`. */
const turned = (values: Float32Array, rows: number, columns: number): tf.Tensor =>
  tf.tidy(() => tf.transpose(tf.tensor2d(values, [rows, columns])));
