/** Linear regression with a penalty on the size of the weights, in closed form. */

/** Solves `A X = B` for a symmetric positive definite A, by Cholesky; both are overwritten. */
const solve = (a: Float64Array, size: number, b: Float64Array, columns: number): void => {
  const at = (row: number, column: number): number => a[row * size + column] ?? 0;
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let rest = at(row, column);
      for (let inner = 0; inner < column; inner += 1) rest -= at(row, inner) * at(column, inner);
      a[row * size + column] = row === column ? Math.sqrt(rest) : rest / at(column, column);
    }
  }
  for (let column = 0; column < columns; column += 1) {
    for (let row = 0; row < size; row += 1) {
      let rest = b[row * columns + column] ?? 0;
      for (let inner = 0; inner < row; inner += 1) {
        rest -= at(row, inner) * (b[inner * columns + column] ?? 0);
      }
      b[row * columns + column] = rest / at(row, row);
    }
    for (let row = size - 1; row >= 0; row -= 1) {
      let rest = b[row * columns + column] ?? 0;
      for (let inner = row + 1; inner < size; inner += 1) {
        rest -= at(inner, row) * (b[inner * columns + column] ?? 0);
      }
      b[row * columns + column] = rest / at(row, row);
    }
  }
};

export interface LinearReadout {
  /** `[features, classes]`. */
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}

/** The read-out whose outputs are nearest to 1 for the label and 0 elsewhere. */
export const ridge = (
  rows: readonly { readonly features: Float32Array; readonly label: number }[],
  classes: number,
  penalty: number,
): LinearReadout => {
  const features = rows[0]?.features.length ?? 0;
  const size = features + 1;
  const a = new Float64Array(size * size);
  const b = new Float64Array(size * classes);
  for (const { features: row, label } of rows) {
    const x = Float64Array.of(...row, 1);
    for (const [one, value] of x.entries()) {
      if (value === 0) continue;
      for (let other = 0; other < size; other += 1) {
        a[one * size + other] = (a[one * size + other] ?? 0) + value * (x[other] ?? 0);
      }
      b[one * classes + label] = (b[one * classes + label] ?? 0) + value;
    }
  }
  // The bias is not penalised, but for what keeps the system solvable.
  for (let index = 0; index < size; index += 1) {
    const own = index === features ? 1e-9 : penalty;
    a[index * size + index] = (a[index * size + index] ?? 0) + own;
  }
  solve(a, size, b, classes);
  const solution = Float32Array.from(b);
  return {
    weight: solution.slice(0, features * classes),
    bias: solution.slice(features * classes),
  };
};
