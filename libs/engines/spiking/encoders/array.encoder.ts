import { type NestedNumbers } from '../model-card.js';
import { type Architecture } from '../model.js';
import { sizeOf, tensorOf, type DataTensor } from '../operations/tensor.js';
import { InvalidInputError } from '../spiking.engine.errors.js';
import { resample, type NumberGrid } from './resample.js';

export const NUMBERS_MAX = 65_536;
const AXES_MAX = 5;

const shapeOf = (data: NestedNumbers): readonly number[] => {
  const shape: number[] = [];
  let level: number | NestedNumbers | undefined = data;
  while (Array.isArray(level)) {
    shape.push(level.length);
    level = (level as NestedNumbers)[0];
  }
  return shape;
};

/** @throws InvalidInputError for lists of different lengths, too many numbers, or none */
export const gridOf = (data: NestedNumbers): NumberGrid => {
  const shape = shapeOf(data);
  if (shape.length > AXES_MAX) {
    throw new InvalidInputError(`input_data is nested ${shape.length} deep, at most ${AXES_MAX}`);
  }
  if (sizeOf(shape) === 0) throw new InvalidInputError('input_data is empty');
  if (sizeOf(shape) > NUMBERS_MAX) {
    throw new InvalidInputError(`input_data has over ${NUMBERS_MAX} numbers`);
  }
  const values = new Float32Array(sizeOf(shape));
  let filled = 0;
  const fill = (part: NestedNumbers, axis: number): void => {
    if (part.length !== shape[axis]) {
      throw new InvalidInputError('the lists in input_data differ in length');
    }
    for (const each of part) {
      const isLeaf = axis === shape.length - 1;
      if (typeof each === 'number' ? !isLeaf : isLeaf) {
        throw new InvalidInputError('the lists in input_data differ in depth');
      }
      if (typeof each !== 'number') fill(each, axis + 1);
      else if (Number.isFinite(Math.fround(each))) values[filled++] = each;
      else throw new InvalidInputError('input_data holds a number that is not finite');
    }
  };
  fill(data, 0);
  return { shape, values };
};

const withoutOnes = (shape: readonly number[]): readonly number[] => {
  const kept = shape.filter((length) => length !== 1);
  return kept.length === 0 ? [1] : kept;
};

/**
 * An array as the network reads it, for a batch of one: resampled to the native shape, and along
 * time to `steps` timesteps. A sequence may be a list of frames, one for each timestep, or all its
 * samples in a row. A flat list of as many numbers as the shape holds is taken as it is.
 * @throws InvalidInputError
 */
export const encodeArray = (
  architecture: Architecture,
  data: NestedNumbers,
  steps: number,
): DataTensor => {
  const { input } = architecture;
  const grid = gridOf(data);
  if (architecture.encodeArray) return architecture.encodeArray(grid, steps);
  const [samples = 1, ...channels] = input.shape;
  const isSequence = input.kind === 'sequence';
  // A list of frames has the axis of time in addition to the axes of a timestep.
  const isFrames = isSequence && grid.shape.length === input.shape.length + 1;
  const sequence = isFrames ? [steps, ...input.shape] : [steps * samples, ...channels];
  const native = isSequence ? sequence : input.shape;
  const target = isSequence ? native : withoutOnes(native);
  const source = grid.shape.length === target.length ? grid.shape : withoutOnes(grid.shape);
  const isBinary = input.code === 'binary';
  const shape = [isSequence ? steps : 1, 1, ...input.shape];
  if (source.length === target.length) {
    const values = resample({ shape: source, values: grid.values }, target, isBinary);
    return tensorOf(values, shape, input.code);
  }
  if (source.length === 1) {
    const values = resample({ shape: source, values: grid.values }, [sizeOf(native)], isBinary);
    return tensorOf(values, shape, input.code);
  }
  throw new InvalidInputError(
    `input_data has ${source.length} axes, ` +
      `the model reads ${target.length} (${target.join(' x ')})`,
  );
};
