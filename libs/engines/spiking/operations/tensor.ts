/** The values of a tensor: spikes, small counts of spikes, or numbers. */
export type Code = 'binary' | 'integer' | 'real';

export interface Shaped {
  /** Axis 0 is time, axis 1 the batch. */
  readonly shape: readonly number[];
}

/** Row-major values of the metered run. `code` decides whether an operation adds or multiplies. */
export interface DataTensor extends Shaped {
  readonly values: Float32Array;
  readonly code: Code;
}

export const sizeOf = (shape: readonly number[]): number =>
  shape.reduce((product, length) => product * length, 1);

/** @throws RangeError for a shape that does not hold the values */
export const tensorOf = (
  values: Float32Array,
  shape: readonly number[],
  code: Code = 'real',
): DataTensor => {
  if (sizeOf(shape) === values.length) return { values, shape, code };
  throw new RangeError(`[${shape.join(', ')}] does not hold ${values.length} values`);
};

/** The elements of a tensor that are not zero. */
export const activeCount = (values: Float32Array): number => {
  let active = 0;
  for (const value of values) if (value !== 0) active += 1;
  return active;
};

/** The length of an axis; negative axes count from the end. @throws RangeError */
export const axisLength = ({ shape }: Shaped, axis: number): number => {
  const length = shape.at(axis);
  if (length !== undefined) return length;
  throw new RangeError(`[${shape.join(', ')}] has no axis ${axis}`);
};

/** Step of each axis in the flat values. */
export const stridesOf = (shape: readonly number[]): readonly number[] => {
  const strides = new Array<number>(shape.length).fill(1);
  for (let axis = shape.length - 2; axis >= 0; axis -= 1) {
    strides[axis] = (strides[axis + 1] ?? 1) * (shape[axis + 1] ?? 1);
  }
  return strides;
};
