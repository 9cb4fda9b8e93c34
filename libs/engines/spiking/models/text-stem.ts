import { type Readout } from '../model.js';
import { type Operations } from '../operations/operations.js';
import { sizeOf, type Shaped } from '../operations/tensor.js';

/**
 * The input in the native shape of a network, `[steps, batch, …shape]`. A text becomes a learned
 * projection of its trigrams: the network then treats it as one of its own inputs.
 */
export const asNative = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  x: Tensor,
  { head }: Readout,
  shape: readonly number[],
): Tensor => {
  const own = head === 'native' ? x : ops.linear('text.in', x, { out: sizeOf(shape), gain: 2 });
  const [steps = 1, batch = 1] = x.shape;
  return ops.reshape(own, [steps, batch, ...shape]);
};
