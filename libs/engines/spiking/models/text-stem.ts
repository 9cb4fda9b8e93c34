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

/** Numbers through which a text reaches a drive: a full matrix would outweigh the network. */
const TEXT_RANK = 32;

/**
 * The currents that a text, `[1, batch, 256]`, gives the first neurons of a network,
 * `[1, batch, …shape]`: a matrix of low rank.
 */
export const textDrive = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  x: Tensor,
  shape: readonly number[],
): Tensor => {
  const narrow = ops.linear('text.in', x, { out: TEXT_RANK, gain: 4, bias: false });
  const drive = ops.linear('text.drive', narrow, { out: sizeOf(shape), gain: 1 });
  return ops.reshape(drive, [1, x.shape[1] ?? 1, ...shape]);
};
