/**
 * Products of many small matrices as one kernel. TensorFlow.js would call a kernel for each slice,
 * which costs more than the product of matrices this small.
 */
import * as tf from '@tensorflow/tfjs-core';
import { viewsOf, type WasmMemory } from './wasm-memory.js';

const KERNEL = 'SmallSliceProducts';

/** Which of the two is taken transposed. */
type Turned = 'none' | 'left' | 'right';

const multiply = ({ inputs, attrs, backend }: Parameters<tf.KernelFunc>[0]): tf.TensorInfo => {
  const memory = backend as WasmMemory;
  const { left, right } = inputs as { left: tf.TensorInfo; right: tf.TensorInfo };
  const { turned } = attrs as unknown as { readonly turned: Turned };
  const [slices = 0, leftRows = 0, leftColumns = 0] = left.shape;
  const [, rightRows = 0, rightColumns = 0] = right.shape;
  const [m, k] = turned === 'left' ? [leftColumns, leftRows] : [leftRows, leftColumns];
  const n = turned === 'right' ? rightRows : rightColumns;
  const product = memory.makeOutput([slices, m, n], 'float32');
  const [a, b, y] = viewsOf(memory, left, right, product) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  y.fill(0);
  const [rowStep, innerStep] = turned === 'left' ? [1, m] : [k, 1];
  const [downStep, acrossStep] = turned === 'right' ? [1, k] : [n, 1];
  for (let slice = 0; slice < slices; slice += 1) {
    for (let row = 0; row < m; row += 1) {
      const to = (slice * m + row) * n;
      for (let inner = 0; inner < k; inner += 1) {
        const value = a[slice * m * k + row * rowStep + inner * innerStep] ?? 0;
        if (value === 0) continue;
        const from = slice * k * n + inner * downStep;
        for (let column = 0; column < n; column += 1) {
          y[to + column] = (y[to + column] ?? 0) + value * (b[from + column * acrossStep] ?? 0);
        }
      }
    }
  }
  return product;
};

/** Registers the kernel; to be called once. */
export const registerSliceProducts = (): void => {
  tf.registerKernel({ kernelName: KERNEL, backendName: 'wasm', kernelFunc: multiply });
};

const run = (left: tf.Tensor, right: tf.Tensor, turned: Turned): tf.Tensor =>
  tf.engine().runKernel(KERNEL, { left, right }, { turned });

/** `[slices, m, k] x [slices, k, n]`, differentiable. */
export const sliceProduct = (left: tf.Tensor, right: tf.Tensor): tf.Tensor =>
  tf.customGrad((...inputsAndSave) => {
    const [a, b] = inputsAndSave as [tf.Tensor, tf.Tensor];
    (inputsAndSave[2] as unknown as tf.GradSaveFunc)([a, b]);
    return {
      value: run(a, b, 'none'),
      gradFunc: (dy: tf.Tensor, kept: tf.Tensor[]) => {
        const [one, other] = kept as [tf.Tensor, tf.Tensor];
        return [run(dy, other, 'right'), run(one, dy, 'left')];
      },
    };
  })(left, right);
