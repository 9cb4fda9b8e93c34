/** A quantity over time; the arguments are milliseconds. */
export type Curve = (atMs: number) => number;

/** To this many milliseconds. */
const EXACT_MS = 1;
/** Half of the span over which a slope is measured. */
const SLOPE_MS = 250;

/**
 * The instants within a window at which a smooth curve has a maximum or a minimum, in their order.
 * Two of them within one step cancel each other and are not found.
 */
export const bendsOf = (
  curve: Curve,
  fromMs: number,
  toMs: number,
  stepMs: number,
): readonly number[] => {
  const slope: Curve = (atMs) => curve(atMs + SLOPE_MS) - curve(atMs - SLOPE_MS);
  const bends: number[] = [];
  // One step beyond each end, so that a bend near it has neighbours.
  let atMs = fromMs;
  let before = curve(fromMs - stepMs);
  let here = curve(fromMs);
  while (atMs < toMs + stepMs) {
    const next = curve(atMs + stepMs);
    if (before < here !== here < next) {
      const bendMs = crossingOf(slope, atMs - stepMs, atMs + stepMs);
      if (bendMs > fromMs && bendMs < toMs && bendMs > (bends.at(-1) ?? fromMs)) bends.push(bendMs);
    }
    [before, here] = [here, next];
    atMs += stepMs;
  }
  return bends;
};

/** Where a curve changes its sign between two instants at which it has different signs. */
export const crossingOf = (curve: Curve, fromMs: number, toMs: number): number => {
  const isPositive = curve(fromMs) >= 0;
  let [low, high] = [fromMs, toMs];
  while (high - low > EXACT_MS) {
    const middle = (low + high) / 2;
    if (curve(middle) >= 0 === isPositive) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};
