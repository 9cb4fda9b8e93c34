/**
 * Products on typed arrays. Each has a dense and an event-driven form, which add the same numbers
 * to an output in the same order, in 64-bit floats: their results are equal bit by bit.
 */

/** One row: `y = x W + bias`; `weight` is `[x.length, y.length]`. */
export type RowProduct = (x: Float32Array, weight: Float32Array, y: Float64Array) => void;

/** Four inputs at a time: `y` is read and written once for all four. */
export const denseRow: RowProduct = (x, weight, y) => {
  const width = y.length;
  const whole = x.length - (x.length % 4);
  for (let input = 0; input < whole; input += 4) {
    const [a, b, c, d] = [x[input] ?? 0, x[input + 1] ?? 0, x[input + 2] ?? 0, x[input + 3] ?? 0];
    const at = input * width;
    for (let output = 0; output < width; output += 1) {
      const from = at + output;
      y[output] =
        (y[output] ?? 0) +
        a * (weight[from] ?? 0) +
        b * (weight[from + width] ?? 0) +
        c * (weight[from + 2 * width] ?? 0) +
        d * (weight[from + 3 * width] ?? 0);
    }
  }
  for (let input = whole; input < x.length; input += 1) {
    const value = x[input] ?? 0;
    const at = input * width;
    for (let output = 0; output < width; output += 1) {
      y[output] = (y[output] ?? 0) + value * (weight[at + output] ?? 0);
    }
  }
};

/** Adds the rows of the inputs that spiked. Counts above 1 are small integers. */
export const eventRow: RowProduct = (x, weight, y) => {
  const width = y.length;
  for (let input = 0; input < x.length; input += 1) {
    const value = x[input] ?? 0;
    if (value === 0) continue;
    const at = input * width;
    if (value === 1) {
      for (let output = 0; output < width; output += 1) {
        y[output] = (y[output] ?? 0) + (weight[at + output] ?? 0);
      }
    } else {
      for (let output = 0; output < width; output += 1) {
        y[output] = (y[output] ?? 0) + value * (weight[at + output] ?? 0);
      }
    }
  }
};
