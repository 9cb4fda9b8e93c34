/**
 * The first `dimensions` values of a vector, of Euclidean length 1, rounded to 32-bit floats. All
 * zeros for a vector without a direction.
 */
export const unitVector = (vector: ArrayLike<number>, dimensions: number): Float32Array => {
  let squares = 0;
  for (let at = 0; at < dimensions; at += 1) squares += (vector[at] ?? 0) ** 2;
  const length = Math.sqrt(squares);
  const unit = new Float32Array(dimensions);
  if (length === 0) return unit;
  for (let at = 0; at < dimensions; at += 1) unit[at] = (vector[at] ?? 0) / length;
  return unit;
};
