/** Nearest rank, of values in ascending order; 0.99 asks for the 99th percentile. */
export const percentile = (ascending: ArrayLike<number>, share: number): number =>
  ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? Number.NaN;
