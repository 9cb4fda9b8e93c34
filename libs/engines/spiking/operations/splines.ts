import { type SplineOptions } from './operations.js';

/** Multiplications of one evaluation: the four cubic pieces that are not zero at a point. */
export const SPLINE_MACS = 12;

/** The four uniform cubic B-splines that are not zero at `share` of a cell. */
const piecesAt = (share: number): readonly [number, number, number, number] => {
  const rest = 1 - share;
  const [square, cube] = [share * share, share * share * share];
  return [
    (rest * rest * rest) / 6,
    (3 * cube - 6 * square + 4) / 6,
    (-3 * cube + 3 * square + 3 * share + 1) / 6,
    cube / 6,
  ];
};

/** The basis functions at each value, `cells + 3` for each. */
export const splineBasis = (
  values: Float32Array,
  { low, high, cells }: SplineOptions,
): Float32Array => {
  const functions = cells + 3;
  const basis = new Float32Array(values.length * functions);
  for (const [index, value] of values.entries()) {
    const place = (cells * (Math.min(high, Math.max(low, value)) - low)) / (high - low);
    const cell = Math.min(cells - 1, Math.floor(place));
    basis.set(piecesAt(place - cell), index * functions + cell);
  }
  return basis;
};
