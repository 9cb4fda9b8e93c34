/** The same numbers from 0 up to but excluding 1 for the same seed (Numerical Recipes' LCG). */
export const numbersFrom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
};

export const unitOf = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
};

/** Unit vectors around a few directions, as texts about a few subjects have them. */
export const clusteredVectors = (
  count: number,
  dimensions: number,
  seed: number,
  clusters = 50,
): readonly Float32Array[] => {
  const next = numbersFrom(seed);
  const draw = (): Float32Array => Float32Array.from({ length: dimensions }, () => next() - 0.5);
  const centres = Array.from({ length: clusters }, () => unitOf(draw()));
  const spread = 2 / Math.sqrt(dimensions);
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(next() * clusters)] ?? draw();
    return unitOf(centre.map((value) => value + (next() - 0.5) * spread));
  });
};
