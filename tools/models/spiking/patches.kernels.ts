/**
 * The patches that a convolution sees, as rows, so that the convolution is one product of matrices.
 * The WASM backend has no gradient of a convolution's filter, and is fast at plain products.
 */
import * as tf from '@tensorflow/tfjs-core';
import { outputLength } from '#engines/spiking/operations/convolution.kernels.js';
import { viewsOf, type WasmMemory } from './wasm-memory.js';

const GATHER = 'Patches';
const SCATTER = 'PatchesGradient';

interface PatchShape {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly kernel: number;
  readonly stride: number;
}

type KernelArguments = Parameters<tf.KernelFunc>[0];

/** Calls `visit` with the place of each run of channels in the picture, and in the patches. */
const forEachTap = (
  pictures: number,
  { height, width, channels, kernel, stride }: PatchShape,
  visit: (inPicture: number, inPatches: number) => void,
): void => {
  const half = (kernel - 1) / 2;
  const [rows, columns] = [outputLength(height, stride), outputLength(width, stride)];
  const places = rows * columns;
  for (let output = 0; output < pictures * places; output += 1) {
    const [picture, place] = [Math.floor(output / places), output % places];
    const top = Math.floor(place / columns) * stride - half;
    const left = (place % columns) * stride - half;
    for (let tap = 0; tap < kernel * kernel; tap += 1) {
      const [row, column] = [top + Math.floor(tap / kernel), left + (tap % kernel)];
      if (row < 0 || row >= height || column < 0 || column >= width) continue;
      const inPicture = ((picture * height + row) * width + column) * channels;
      visit(inPicture, (output * kernel * kernel + tap) * channels);
    }
  }
};

const gather = ({ inputs, attrs, backend }: KernelArguments): tf.TensorInfo => {
  const memory = backend as WasmMemory;
  const { x } = inputs as { x: tf.TensorInfo };
  const shape = attrs as unknown as PatchShape;
  const pictures = x.shape[0] ?? 0;
  const { height, width, channels, kernel, stride } = shape;
  const places = pictures * outputLength(height, stride) * outputLength(width, stride);
  const output = memory.makeOutput([places, kernel * kernel * channels], 'float32');
  const [from, to] = viewsOf(memory, x, output) as [Float32Array, Float32Array];
  to.fill(0);
  forEachTap(pictures, shape, (inPicture, inPatches) => {
    for (let channel = 0; channel < channels; channel += 1) {
      to[inPatches + channel] = from[inPicture + channel] ?? 0;
    }
  });
  return output;
};

const scatter = ({ inputs, attrs, backend }: KernelArguments): tf.TensorInfo => {
  const memory = backend as WasmMemory;
  const { dy } = inputs as { dy: tf.TensorInfo };
  const { pictures, ...shape } = attrs as unknown as PatchShape & { pictures: number };
  const { height, width, channels } = shape;
  const output = memory.makeOutput([pictures, height, width, channels], 'float32');
  const [from, to] = viewsOf(memory, dy, output) as [Float32Array, Float32Array];
  to.fill(0);
  forEachTap(pictures, shape, (inPicture, inPatches) => {
    for (let channel = 0; channel < channels; channel += 1) {
      to[inPicture + channel] = (to[inPicture + channel] ?? 0) + (from[inPatches + channel] ?? 0);
    }
  });
  return output;
};

/** Registers both kernels; to be called once. */
export const registerPatches = (): void => {
  tf.registerKernel({ kernelName: GATHER, backendName: 'wasm', kernelFunc: gather });
  tf.registerKernel({ kernelName: SCATTER, backendName: 'wasm', kernelFunc: scatter });
};

/** `[pictures, height, width, channels]` to `[pictures * outputs, kernel * kernel * channels]`. */
export const patches = (x: tf.Tensor, shape: PatchShape): tf.Tensor => {
  const attributes = { ...shape };
  const [pictures = 0] = x.shape;
  const run = (kernel: string, input: tf.NamedTensorMap, more: tf.NamedAttrMap): tf.Tensor =>
    tf.engine().runKernel(kernel, input, more);
  return tf.customGrad((input) => ({
    value: run(GATHER, { x: input as tf.Tensor }, attributes),
    gradFunc: (dy: tf.Tensor) => run(SCATTER, { dy }, { ...attributes, pictures }),
  }))(x);
};
