import * as tf from '@tensorflow/tfjs-core';
import { type Product } from '../../llama-layers/model/layer-stack.js';
import { packTrits } from '../bitnet/packed-trits.js';
import { quantizeActivations } from '../bitnet/ternarize.js';
import { type TernaryKernel, type TernaryKernels } from '../bitnet/ternary-kernels.js';

/** `x W` of BitNet b1.58: 8-bit activations by token, trits, and a factor for each result. */
export const ternaryProduct = (
  kernels: TernaryKernels,
  kernel: TernaryKernel,
  { trits, scale }: { readonly trits: Int8Array; readonly scale: number },
  width: number,
): Product => {
  const packed = packTrits(trits, width);
  return (x) => {
    const { values, steps } = quantizeActivations(x.dataSync<'float32'>(), width);
    const sums = kernels.product(kernel, packed, values, width);
    const results = Float32Array.from(
      sums,
      (sum, at) => sum * scale * (steps[Math.floor(at / packed.rows)] ?? 0),
    );
    return tf.tensor2d(results, [steps.length, packed.rows]);
  };
};
