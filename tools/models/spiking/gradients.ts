/**
 * Gradients of the kernels that spiking networks use beside products and neurons. The Node build of
 * TensorFlow.js core ships without its own registrations.
 */
import * as tf from '@tensorflow/tfjs-core';
import { registerStructuralGradients } from '#engines/training/model/structural.gradients.js';

/** Sums a gradient over the axes along which a smaller tensor was broadcast. */
const sumTo = (dy: tf.Tensor, shape: readonly number[]): tf.Tensor => {
  if (dy.shape.join() === shape.join()) return dy;
  const missing = dy.rank - shape.length;
  const axes = dy.shape.flatMap((length, axis) => {
    const own = axis < missing ? 1 : shape[axis - missing];
    return own === 1 && (length !== 1 || axis < missing) ? [axis] : [];
  });
  return tf.reshape(tf.sum(dy, axes), [...shape]);
};

type Saved = readonly tf.Tensor[];

const binary = (
  kernelName: string,
  gradients: (dy: tf.Tensor, a: tf.Tensor, b: tf.Tensor) => readonly [tf.Tensor, tf.Tensor],
): void =>
  tf.registerGradient({
    kernelName,
    inputsToSave: ['a', 'b'],
    gradFunc: (dy, saved) => {
      const [a, b] = saved as Saved as [tf.Tensor, tf.Tensor];
      return {
        a: () => sumTo(gradients(dy as tf.Tensor, a, b)[0], a.shape),
        b: () => sumTo(gradients(dy as tf.Tensor, a, b)[1], b.shape),
      };
    },
  });

/** A gradient that is the upstream one times a function of the input, or of the output. */
const unary = (
  kernelName: string,
  of: 'input' | 'output',
  gradient: (dy: tf.Tensor, saved: tf.Tensor) => tf.Tensor,
): void =>
  tf.registerGradient({
    kernelName,
    ...(of === 'input' ? { inputsToSave: ['x'] } : { outputsToSave: [true] }),
    gradFunc: (dy, saved) => ({
      x: () => gradient(dy as tf.Tensor, (saved as Saved)[0] as tf.Tensor),
    }),
  });

const registerElementwise = (): void => {
  binary('Add', (dy) => [dy, dy]);
  binary('Sub', (dy) => [dy, tf.neg(dy)]);
  binary('Multiply', (dy, a, b) => [tf.mul(dy, b), tf.mul(dy, a)]);
  unary('Tanh', 'output', (dy, y) => tf.mul(dy, tf.sub(1, tf.square(y))));
  unary('Sigmoid', 'output', (dy, y) => tf.mul(dy, tf.mul(y, tf.sub(1, y))));
  unary('Exp', 'output', (dy, y) => tf.mul(dy, y));
  unary('Log', 'input', (dy, x) => tf.div(dy, x));
  unary('Square', 'input', (dy, x) => tf.mul(dy, tf.mul(x, 2)));
  unary('Sin', 'input', (dy, x) => tf.mul(dy, tf.cos(x)));
  unary('Cos', 'input', (dy, x) => tf.neg(tf.mul(dy, tf.sin(x))));
  unary('Relu', 'input', (dy, x) => tf.mul(dy, tf.step(x)));
};

interface SumAttribute {
  readonly axis: readonly number[] | number | null | undefined;
}

const registerReductions = (): void => {
  tf.registerGradient({
    kernelName: 'Sum',
    inputsToSave: ['x'],
    gradFunc: (dy, saved, attributes) => {
      const [x] = saved as Saved as [tf.Tensor];
      // Without an axis the kernel sums over all of them.
      const { axis } = attributes as unknown as SumAttribute;
      const axes = typeof axis === 'number' ? [axis] : (axis ?? [...x.shape.keys()]);
      const summed = axes.map((at) => (at < 0 ? at + x.rank : at));
      const kept = x.shape.map((length, at) => (summed.includes(at) ? 1 : length));
      return { x: () => tf.mul(tf.reshape(dy as tf.Tensor, kept), tf.onesLike(x)) };
    },
  });
  tf.registerGradient({
    kernelName: 'Softmax',
    outputsToSave: [true],
    gradFunc: (dy, saved) => {
      const [shares] = saved as Saved as [tf.Tensor];
      const weighted = (): tf.Tensor => tf.mul(dy as tf.Tensor, shares);
      return {
        logits: () => tf.sub(weighted(), tf.mul(tf.sum(weighted(), -1, true), shares)),
      };
    },
  });
  tf.registerGradient({
    kernelName: 'Slice',
    inputsToSave: ['x'],
    gradFunc: (dy, saved, attributes) => {
      const [x] = saved as Saved as [tf.Tensor];
      const { begin, size } = attributes as unknown as Record<'begin' | 'size', readonly number[]>;
      const around = x.shape.map((length, axis): [number, number] => {
        const start = begin[axis] ?? 0;
        return [start, length - start - (size[axis] ?? 0)];
      });
      return { x: () => tf.pad(dy as tf.Tensor, around) };
    },
  });
};

/** Registers every gradient; to be called once. */
export const registerGradients = (): void => {
  registerStructuralGradients();
  registerElementwise();
  registerReductions();
};
