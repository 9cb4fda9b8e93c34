import { type RowProduct } from './dense.kernels.js';

/** The edges of one graph, read from its adjacency matrix (row to column, 1 for an edge). */
export class EdgeTable {
  readonly #targets: readonly (readonly number[])[];
  readonly #inDegrees: Float64Array;

  constructor(adjacency: Float32Array, nodes: number) {
    this.#inDegrees = new Float64Array(nodes);
    this.#targets = Array.from({ length: nodes }, (_, node) => {
      const row = adjacency.subarray(node * nodes, (node + 1) * nodes);
      const targets = [...row.keys()].filter((target) => row[target] !== 0);
      for (const target of targets) {
        this.#inDegrees[target] = (this.#inDegrees[target] ?? 0) + 1;
      }
      return targets;
    });
  }

  get edges(): number {
    return this.#targets.reduce((total, targets) => total + targets.length, 0);
  }

  /** The sum of `[nodes, features]`, each element times the out-degree of its node. */
  targetsOf(x: Float32Array): number {
    const features = x.length / this.#targets.length;
    let total = 0;
    for (const [node, { length }] of this.#targets.entries()) {
      let own = 0;
      for (let at = node * features; at < (node + 1) * features; at += 1) own += x[at] ?? 0;
      total += length * own;
    }
    return total;
  }

  /** Each node receives the mean of `x W` over its in-neighbours, plus the bias. */
  pass(
    x: Float32Array,
    weight: Float32Array,
    multiply: RowProduct,
    bias: Float64Array,
    means: Float32Array,
  ): void {
    const width = bias.length;
    const features = x.length / this.#targets.length;
    const sums = new Float64Array(means.length);
    const message = new Float64Array(width);
    for (const [node, targets] of this.#targets.entries()) {
      message.fill(0);
      multiply(x.subarray(node * features, (node + 1) * features), weight, message);
      for (const target of targets) {
        for (let index = 0; index < width; index += 1) {
          const at = target * width + index;
          sums[at] = (sums[at] ?? 0) + (message[index] ?? 0);
        }
      }
    }
    for (let node = 0; node < this.#targets.length; node += 1) {
      const degree = Math.max(1, this.#inDegrees[node] ?? 0);
      for (let index = 0; index < width; index += 1) {
        const at = node * width + index;
        means[at] = (sums[at] ?? 0) / degree + (bias[index] ?? 0);
      }
    }
  }
}
