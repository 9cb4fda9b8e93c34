/**
 * BitNet b1.58: weights are rounded to -1, 0 or 1 times one scale of the tensor, activations to
 * 8 bits with one scale of the token. `test/oracles/quantization` has the values of PyTorch.
 */
/** Keeps tensors and tokens of zeros finite. */
export const SCALE_EPSILON = 1e-5;
/** The largest magnitude of an activation. */
export const LARGEST_BYTE = 127;

const { abs, floor, fround, max, min } = Math;

/** Half to even, as PyTorch's `round`. */
const roundEven = (value: number): number => {
  const below = floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
};

export interface TernaryTensor {
  /** -1, 0 or 1. */
  readonly trits: Int8Array;
  /** The mean magnitude of the weights. */
  readonly scale: number;
}

export const ternarize = (weights: Float32Array): TernaryTensor => {
  let sum = 0;
  for (const weight of weights) sum += abs(weight);
  const scale = fround(sum / weights.length);
  const divisor = fround(scale + SCALE_EPSILON);
  const trits = new Int8Array(weights.length);
  for (let at = 0; at < trits.length; at += 1) {
    const rounded = roundEven(fround((weights[at] ?? 0) / divisor));
    trits[at] = max(-1, min(1, rounded));
  }
  return { trits, scale };
};

/** Rows of activations in 8 bits. */
export interface QuantizedActivations {
  readonly values: Int8Array;
  /** By row: one step of its values. */
  readonly steps: Float32Array;
}

/** Each row gets the scale at which its largest magnitude is 127. */
export const quantizeActivations = (
  activations: Float32Array,
  width: number,
): QuantizedActivations => {
  const rows = activations.length / width;
  const values = new Int8Array(activations.length);
  const steps = new Float32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const [start, end] = [row * width, (row + 1) * width];
    let largest = SCALE_EPSILON;
    for (let at = start; at < end; at += 1) {
      largest = max(largest, abs(activations[at] ?? 0));
    }
    const factor = fround(LARGEST_BYTE / largest);
    steps[row] = 1 / factor;
    for (let at = start; at < end; at += 1) {
      values[at] = roundEven(fround((activations[at] ?? 0) * factor));
    }
  }
  return { values, steps };
};
