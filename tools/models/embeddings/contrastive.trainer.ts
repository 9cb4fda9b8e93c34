/**
 * Trains a projection on paraphrase pairs with Adam, in plain typed arrays: a step touches the rows
 * of some hundred words among thousands, and TensorFlow.js has no sparse gradients.
 */
import { BUCKETS, type Features, featuresOf } from '#engines/embeddings/lexical/features.js';
import {
  project,
  type Projection,
  SPREAD,
  sparseEntry,
  weightedFeatures,
} from '#engines/embeddings/lexical/projection.js';
import { type SeededRandom, seededRandom } from '#engines/training/seeded-random.js';
import { contrastiveLoss, type PrefixLoss, type Rows } from './contrastive.loss.js';

export interface EmbeddingRecipe {
  readonly name: string;
  readonly dimensions: number;
  readonly rank: number;
  readonly seed: number;
  readonly steps: number;
  readonly pairsPerStep: number;
  readonly learningRate: number;
  /** Cosines are multiplied with it before the softmax. */
  readonly scale: number;
  readonly prefixes: readonly PrefixLoss[];
}

export type Pair = readonly [first: string, second: string];

const BETA_1 = 0.9;
const BETA_2 = 0.999;
const EPSILON = 1e-8;
/** The weight of a row is one number where the dense part has many, and may move faster. */
const WEIGHT_RATE = 10;

/** Adam that moves only what has a gradient: rows of words that a step has not seen stay. */
class LazyAdam {
  readonly #first: Float32Array;
  readonly #second: Float32Array;

  constructor(private readonly parameters: Float32Array) {
    this.#first = new Float32Array(parameters.length);
    this.#second = new Float32Array(parameters.length);
  }

  move(at: number, slope: number, rate: number, step: number): void {
    const first = BETA_1 * (this.#first[at] ?? 0) + (1 - BETA_1) * slope;
    const second = BETA_2 * (this.#second[at] ?? 0) + (1 - BETA_2) * slope * slope;
    this.#first[at] = first;
    this.#second[at] = second;
    const scaled = first / (1 - BETA_1 ** step);
    const spread = Math.sqrt(second / (1 - BETA_2 ** step)) + EPSILON;
    this.parameters[at] = (this.parameters[at] ?? 0) - (rate * scaled) / spread;
  }
}

/** `ln((1 + texts) / (1 + texts with the bucket)) + 1`, as scikit-learn has it. */
export const inverseFrequencies = (texts: readonly string[]): Float32Array => {
  const found = new Float64Array(BUCKETS);
  for (const text of texts) {
    for (const bucket of featuresOf(text).buckets) found[bucket] = (found[bucket] ?? 0) + 1;
  }
  return Float32Array.from(found, (count) => Math.log((1 + texts.length) / (1 + count)) + 1);
};

/** The dense columns start as the sparse ones are: a random projection keeps cosines. */
export const untrained = (
  { dimensions, rank }: Pick<EmbeddingRecipe, 'dimensions' | 'rank'>,
  idf: Float32Array,
  random: SeededRandom,
): Projection & { readonly dense: Float32Array } => {
  const dense = new Float32Array(BUCKETS * rank);
  const deviation = 1 / Math.sqrt(rank);
  for (let at = 0; at < dense.length; at += 1) dense[at] = random.normal() * deviation;
  const scales = new Float32Array(rank).fill(1);
  const weights = new Float32Array(BUCKETS).fill(1);
  return { dimensions, rank, dense, scales, weights, idf };
};

export class ContrastiveTrainer {
  readonly projection: Projection & { readonly dense: Float32Array };
  readonly #dense: LazyAdam;
  readonly #weights: LazyAdam;
  #step = 0;

  constructor(
    private readonly recipe: EmbeddingRecipe,
    idf: Float32Array,
  ) {
    this.projection = untrained(recipe, idf, seededRandom(recipe.seed));
    this.#dense = new LazyAdam(this.projection.dense);
    this.#weights = new LazyAdam(this.projection.weights);
  }

  /** One step; the learning rate falls to 0 along a line. @returns the loss before it */
  step(pairs: readonly Pair[]): number {
    const { recipe, projection } = this;
    const sides = [0, 1].map((side) => pairs.map((pair) => featuresOf(pair[side] ?? '')));
    const [ones = [], others = []] = sides;
    const [first, second] = [this.#rows(ones), this.#rows(others)];
    const result = contrastiveLoss(first, second, recipe.prefixes, recipe.scale);
    const rate = recipe.learningRate * (1 - this.#step / recipe.steps);
    this.#step += 1;
    const slopes = new Slopes(projection);
    for (const [at, features] of ones.entries()) slopes.add(features, result.first, at);
    for (const [at, features] of others.entries()) slopes.add(features, result.second, at);
    this.#move(slopes, rate);
    return result.loss;
  }

  #rows(texts: readonly Features[]): Rows {
    const width = this.recipe.dimensions;
    const values = new Float64Array(texts.length * width);
    for (const [row, features] of texts.entries()) {
      values.set(project(features, this.projection), row * width);
    }
    return { values, rows: texts.length, width };
  }

  #move({ dense, weights }: Slopes, rate: number): void {
    const { rank } = this.recipe;
    for (const [bucket, slopes] of dense) {
      for (let column = 0; column < rank; column += 1) {
        this.#dense.move(bucket * rank + column, slopes[column] ?? 0, rate, this.#step);
      }
    }
    for (const [bucket, slope] of weights) {
      this.#weights.move(bucket, slope, rate * WEIGHT_RATE, this.#step);
    }
  }
}

/** The gradients of the rows that a step has used. */
class Slopes {
  readonly dense = new Map<number, Float64Array>();
  readonly weights = new Map<number, number>();

  constructor(private readonly projection: Projection) {}

  /** @param gradient of the vectors; `row` is that of these features */
  add(features: Features, gradient: Float64Array, row: number): void {
    const { dimensions, rank, idf } = this.projection;
    const values = weightedFeatures(features, idf);
    const start = row * dimensions;
    for (const [at, bucket] of features.buckets.entries()) {
      const value = values[at] ?? 0;
      const slopes = this.dense.get(bucket) ?? new Float64Array(rank);
      this.dense.set(bucket, slopes);
      for (let column = 0; column < rank; column += 1) {
        slopes[column] = (slopes[column] ?? 0) + value * (gradient[start + column] ?? 0);
      }
      let slope = 0;
      for (let entry = 0; entry < SPREAD; entry += 1) {
        const { column, value: sign } = sparseEntry(bucket, entry, dimensions - rank);
        slope += value * sign * (gradient[start + rank + column] ?? 0);
      }
      this.weights.set(bucket, (this.weights.get(bucket) ?? 0) + slope);
    }
  }
}
