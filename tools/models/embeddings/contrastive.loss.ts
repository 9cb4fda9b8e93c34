/**
 * InfoNCE over a batch of pairs, in both directions: each text must find its partner among the
 * others. It is taken for several prefixes of the vectors, so that short vectors are useful, too
 * (Kusupati et al., Matryoshka Representation Learning, 2022).
 */
export interface PrefixLoss {
  readonly dimensions: number;
  readonly share: number;
}

/** Row-major: `rows` vectors of `width` values. */
export interface Rows {
  readonly values: Float64Array;
  readonly rows: number;
  readonly width: number;
}

const unitPrefixes = ({ values, rows, width }: Rows, dimensions: number) => {
  const units = new Float64Array(rows * dimensions);
  const lengths = new Float64Array(rows);
  for (let row = 0; row < rows; row += 1) {
    let squares = 0;
    for (let at = 0; at < dimensions; at += 1) squares += (values[row * width + at] ?? 0) ** 2;
    const length = Math.sqrt(squares) + 1e-9;
    lengths[row] = length;
    for (let at = 0; at < dimensions; at += 1) {
      units[row * dimensions + at] = (values[row * width + at] ?? 0) / length;
    }
  }
  return { units, lengths };
};

/** Softmax over the rows of `scores`, and the loss of its diagonal; adds to `gradient`. */
const addCrossEntropy = (
  scores: Float64Array,
  size: number,
  isByColumn: boolean,
  gradient: Float64Array,
): number => {
  let loss = 0;
  const index = (one: number, other: number): number =>
    isByColumn ? other * size + one : one * size + other;
  for (let one = 0; one < size; one += 1) {
    let highest = -Infinity;
    for (let other = 0; other < size; other += 1) {
      highest = Math.max(highest, scores[index(one, other)] ?? 0);
    }
    let sum = 0;
    for (let other = 0; other < size; other += 1) {
      sum += Math.exp((scores[index(one, other)] ?? 0) - highest);
    }
    loss += Math.log(sum) + highest - (scores[index(one, one)] ?? 0);
    for (let other = 0; other < size; other += 1) {
      const at = index(one, other);
      const probability = Math.exp((scores[at] ?? 0) - highest) / sum;
      gradient[at] = (gradient[at] ?? 0) + (probability - (one === other ? 1 : 0)) / (2 * size);
    }
  }
  return loss / (2 * size);
};

/** Adds the gradient of a unit vector to that of its vector: the part along the vector is lost. */
const addThroughUnit = (
  target: Float64Array,
  from: { readonly units: Float64Array; readonly lengths: Float64Array },
  gradient: Float64Array,
  { rows, width }: Rows,
  dimensions: number,
): void => {
  for (let row = 0; row < rows; row += 1) {
    const start = row * dimensions;
    let along = 0;
    for (let at = 0; at < dimensions; at += 1) {
      along += (gradient[start + at] ?? 0) * (from.units[start + at] ?? 0);
    }
    const length = from.lengths[row] ?? 1;
    for (let at = 0; at < dimensions; at += 1) {
      const part = (gradient[start + at] ?? 0) - along * (from.units[start + at] ?? 0);
      target[row * width + at] = (target[row * width + at] ?? 0) + part / length;
    }
  }
};

/**
 * The loss of pairs `(first[i], second[i])`, and its gradients with respect to both.
 * @param scale of the cosines: the reciprocal of the temperature
 */
export const contrastiveLoss = (
  first: Rows,
  second: Rows,
  prefixes: readonly PrefixLoss[],
  scale: number,
): { readonly loss: number; readonly first: Float64Array; readonly second: Float64Array } => {
  const gradients = [first, second].map(({ values }) => new Float64Array(values.length));
  const [ofFirst = new Float64Array(), ofSecond = new Float64Array()] = gradients;
  const size = first.rows;
  let loss = 0;
  for (const { dimensions, share } of prefixes) {
    const [one, other] = [unitPrefixes(first, dimensions), unitPrefixes(second, dimensions)];
    const scores = products(one.units, other.units, size, dimensions, scale);
    const ofScores = new Float64Array(size * size);
    loss += share * addCrossEntropy(scores, size, false, ofScores);
    loss += share * addCrossEntropy(scores, size, true, ofScores);
    const [ofOne, ofOther] = throughProducts(
      ofScores,
      one.units,
      other.units,
      dimensions,
      share * scale,
    );
    addThroughUnit(ofFirst, one, ofOne, first, dimensions);
    addThroughUnit(ofSecond, other, ofOther, second, dimensions);
  }
  return { loss, first: ofFirst, second: ofSecond };
};

const products = (
  one: Float64Array,
  other: Float64Array,
  size: number,
  width: number,
  scale: number,
): Float64Array => {
  const scores = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      let sum = 0;
      for (let at = 0; at < width; at += 1) {
        sum += (one[i * width + at] ?? 0) * (other[j * width + at] ?? 0);
      }
      scores[i * size + j] = sum * scale;
    }
  }
  return scores;
};

const throughProducts = (
  ofScores: Float64Array,
  one: Float64Array,
  other: Float64Array,
  width: number,
  scale: number,
): readonly [Float64Array, Float64Array] => {
  const size = Math.round(Math.sqrt(ofScores.length));
  const [ofOne, ofOther] = [new Float64Array(one.length), new Float64Array(other.length)];
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      const slope = (ofScores[i * size + j] ?? 0) * scale;
      for (let at = 0; at < width; at += 1) {
        ofOne[i * width + at] = (ofOne[i * width + at] ?? 0) + slope * (other[j * width + at] ?? 0);
        ofOther[j * width + at] =
          (ofOther[j * width + at] ?? 0) + slope * (one[i * width + at] ?? 0);
      }
    }
  }
  return [ofOne, ofOther];
};
