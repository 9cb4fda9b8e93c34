/**
 * Gradients of the kernels that only move or add tensors. The Node build of TensorFlow.js core
 * ships without its own registrations (they come with the `@tensorflow/tfjs` umbrella package,
 * which this project does not need for anything else).
 */
import * as tf from '@tensorflow/tfjs-core';

interface AxisAttribute {
  readonly axis: number;
}

/** Registers the five gradients a Llama block needs beyond its own; to be called once. */
export const registerStructuralGradients = (): void => {
  tf.registerGradient({
    kernelName: 'Add',
    gradFunc: (dy) => ({ a: () => dy as tf.Tensor, b: () => dy as tf.Tensor }),
  });
  tf.registerGradient({
    kernelName: 'Reshape',
    inputsToSave: ['x'],
    gradFunc: (dy, [x]) => ({ x: () => tf.reshape(dy as tf.Tensor, (x as tf.Tensor).shape) }),
  });
  tf.registerGradient({
    kernelName: 'Transpose',
    gradFunc: (dy, _saved, attributes) => {
      const { perm } = attributes as unknown as { readonly perm: readonly number[] };
      const back = perm.map((_, axis) => perm.indexOf(axis));
      return { x: () => tf.transpose(dy as tf.Tensor, back) };
    },
  });
  tf.registerGradient({
    kernelName: 'Concat',
    saveAllInputs: true,
    gradFunc: (dy, inputs, attributes) => {
      const { axis } = attributes as unknown as AxisAttribute;
      const sizes = inputs.map(({ shape }) => shape.at(axis) ?? 0);
      const parts = tf.split(dy as tf.Tensor, sizes, axis);
      return Object.fromEntries(parts.map((part, index) => [index, () => part]));
    },
  });
  tf.registerGradient({
    kernelName: 'SplitV',
    gradFunc: (dy, _saved, attributes) => {
      const { axis } = attributes as unknown as AxisAttribute;
      return { x: () => tf.concat(dy as tf.Tensor[], axis) };
    },
  });
};
