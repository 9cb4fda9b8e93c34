import { BUCKETS, type Features, mixed, termWeight } from './features.js';

/**
 * The matrix that takes the features of a text to a vector, of `BUCKETS` by `dimensions`. Its first
 * `rank` columns are dense and trained. The others are sparse: each row has `SPREAD` entries there,
 * at places and with signs that follow from the row's number, all scaled by the trained weight of
 * the row. So the first columns have learned which words are synonyms, and the rest tells apart
 * what they take for the same.
 */
export interface Projection {
  readonly dimensions: number;
  readonly rank: number;
  /** `BUCKETS` by `rank`, row by row, before `scales`. */
  readonly dense: Int8Array | Float32Array;
  /** The factors of a dense column: `rank` values. */
  readonly scales: Float32Array;
  /** The factors of a sparse row: `BUCKETS` values. */
  readonly weights: Float32Array;
  /** The inverse document frequency of each bucket in the training texts. */
  readonly idf: Float32Array;
}

/** Entries of a row among the sparse columns. */
export const SPREAD = 4;
const ENTRY = 1 / Math.sqrt(SPREAD);

/** The sparse columns of a row; a column may come twice. The sign belongs to the entry. */
export const sparseEntry = (
  bucket: number,
  entry: number,
  columns: number,
): { readonly column: number; readonly value: number } => {
  const hash = mixed(Math.imul(bucket * SPREAD + entry + 1, 0x9e3779b1));
  return { column: hash % columns, value: (hash & 0x80000000) === 0 ? ENTRY : -ENTRY };
};

/** Term frequency times inverse document frequency, of Euclidean length 1; empty without words. */
export const weightedFeatures = (
  { buckets, counts }: Features,
  idf: Float32Array,
): Float64Array => {
  const values = new Float64Array(buckets.length);
  let squares = 0;
  for (let at = 0; at < buckets.length; at += 1) {
    const value = termWeight(counts[at] ?? 0) * (idf[buckets[at] ?? 0] ?? 0);
    values[at] = value;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  if (length > 0)
    for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) / length;
  return values;
};

/**
 * The projected features, not yet of unit length. Sums run over the buckets in ascending order and
 * in 64-bit floats, so a text has one vector, bit for bit, whatever is embedded beside it.
 */
export const project = (features: Features, projection: Projection): Float64Array => {
  const { dimensions, rank, dense, scales, weights, idf } = projection;
  const { buckets } = features;
  const values = weightedFeatures(features, idf);
  const vector = new Float64Array(dimensions);
  const columns = dimensions - rank;
  for (let at = 0; at < buckets.length; at += 1) {
    const bucket = buckets[at] ?? 0;
    const value = values[at] ?? 0;
    const row = bucket * rank;
    for (let column = 0; column < rank; column += 1) {
      vector[column] = (vector[column] ?? 0) + value * (dense[row + column] ?? 0);
    }
    const sparse = value * (weights[bucket] ?? 0);
    for (let entry = 0; entry < SPREAD; entry += 1) {
      const { column, value: sign } = sparseEntry(bucket, entry, columns);
      vector[rank + column] = (vector[rank + column] ?? 0) + sparse * sign;
    }
  }
  for (let column = 0; column < rank; column += 1) {
    vector[column] = (vector[column] ?? 0) * (scales[column] ?? 0);
  }
  return vector;
};

/** A vector of `BUCKETS` values has one for each row of the matrix. */
export const isWhole = ({ dimensions, rank, dense, scales, weights, idf }: Projection): boolean =>
  rank > 0 &&
  rank < dimensions &&
  dense.length === BUCKETS * rank &&
  scales.length === rank &&
  weights.length === BUCKETS &&
  idf.length === BUCKETS;
