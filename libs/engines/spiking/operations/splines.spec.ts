import { describe, expect, it } from '@jest/globals';
import { splineBasis } from './splines.js';

const GRID = { low: -1.25, high: 1.25, cells: 8 };

/** scipy.interpolate.BSpline.design_matrix of SciPy 1.17.1, same knots, degree 3. */
const BY_SCIPY: readonly (readonly [number, readonly number[]])[] = [
  [-1.25, [0.16666667, 0.66666667, 0.16666667, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]],
  [-0.9, [0.0, 0.11357867, 0.65313067, 0.23300267, 0.000288, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]],
  [-0.3125, [0.0, 0.0, 0.0, 0.16666667, 0.66666667, 0.16666667, 0.0, 0.0, 0.0, 0.0, 0.0]],
  [0.1, [0.0, 0.0, 0.0, 0.0, 0.05240533, 0.58065067, 0.36148267, 0.00546133, 0.0, 0.0, 0.0]],
  [1.2, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.00068267, 0.25741867, 0.64311467, 0.098784]],
];

describe('cubic splines', () => {
  it.each(BY_SCIPY)('at %d equal the splines of SciPy', (x, expected) => {
    const basis = splineBasis(Float32Array.of(x), GRID);
    expect(basis).toHaveLength(GRID.cells + 3);
    for (const [index, value] of expected.entries()) expect(basis[index]).toBeCloseTo(value, 6);
  });

  it('sum to 1 everywhere, and stop at the edges', () => {
    for (const x of [-9, -1.25, -0.3, 0, 0.77, 1.25, 4]) {
      const basis = splineBasis(Float32Array.of(x), GRID);
      expect(basis.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 6);
      expect(basis).toEqual(splineBasis(Float32Array.of(Math.min(1.25, Math.max(-1.25, x))), GRID));
    }
  });
});
