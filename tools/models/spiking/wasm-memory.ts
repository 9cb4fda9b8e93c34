import type * as tf from '@tensorflow/tfjs-core';
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';

/** What a kernel of the WASM backend may do with its memory. */
export type WasmMemory = Pick<BackendWasm, 'makeOutput' | 'typedArrayFromHeap'>;

/**
 * The floats of tensors on the heap, in the order given. Taken after every output is allocated: an
 * allocation may grow the heap and detach earlier views.
 */
export const viewsOf = (
  memory: WasmMemory,
  ...tensors: readonly tf.TensorInfo[]
): readonly Float32Array[] =>
  tensors.map((tensor) => memory.typedArrayFromHeap(tensor) as Float32Array);
