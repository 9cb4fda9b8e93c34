/** SciPy's splines, state spaces and solutions of differential equations against the engine's. */
import { describe, expect, it } from '@jest/globals';
import { discretise, STATES } from '#engines/spiking/models/hybrid-ssm.model.js';
import { solutionAt, solve, type Field } from '#engines/spiking/models/ode-solver.js';
import { DEFAULT_NEURON } from '#engines/spiking/neurons/neuron.js';
import { MeteredOperations } from '#engines/spiking/operations/metered.operations.js';
import { splineBasis } from '#engines/spiking/operations/splines.js';
import { tensorOf, type DataTensor } from '#engines/spiking/operations/tensor.js';
import { Meter } from '#engines/spiking/telemetry/meter.js';
import { type NamedTensors } from '#platform/safetensors/safetensors.js';
import { numericVectors } from './spiking/vectors.js';

const { splines, stateSpaces, equations } = numericVectors();

const operations = (weights: NamedTensors = new Map()): MeteredOperations =>
  new MeteredOperations({
    weights,
    steps: 1,
    sequential: false,
    neuron: DEFAULT_NEURON,
    meter: new Meter(),
    membranes: new Map(),
    exhaustive: false,
    notes: new Map(),
    raster: null,
  });

const state = (...values: number[]): DataTensor =>
  tensorOf(Float32Array.from(values), [1, 1, values.length]);

const furthest = (one: ArrayLike<number>, other: readonly number[]): number =>
  Math.max(...other.map((value, at) => Math.abs(value - (one[at] ?? NaN))));

describe('SciPy', () => {
  it('has the same cubic B-splines', () => {
    const basis = splineBasis(Float32Array.from(splines.x), { low: -1, high: 1, cells: 8 });
    splines.basis.forEach((values, index) => {
      const own = splines.x.map((_, at) => basis[at * splines.basis.length + index] ?? NaN);
      expect(furthest(own, values)).toBeLessThan(1e-5);
    });
    expect(splines.basis).toHaveLength(11);
  });

  it.each(stateSpaces.map((mode) => [mode.a.join(' + ') + 'i', mode.dt, mode] as const))(
    'holds the mode %s over %d as the state space does',
    (_name, dt, { a: [real, imaginary], aBar, bBar }) => {
      const shape = [1, 1, STATES];
      const values = (value: number) => ({ shape, values: new Float32Array(STATES).fill(value) });
      const weights = new Map([
        ['decay', values(Math.log(-real * dt))],
        ['frequency', values(imaginary * dt)],
      ]);
      // One step of length 1 of a mode times dt: the input then counts dt times.
      const { keep, gain } = discretise(operations(weights));
      expect(
        furthest(
          [keep.re, keep.im].map(({ values: [v = 0] }) => v),
          aBar,
        ),
      ).toBeLessThan(1e-5);
      const own = [gain.re, gain.im].map(({ values: [v = 0] }) => v * dt);
      expect(furthest(own, bBar)).toBeLessThan(1e-5);
    },
  );

  const ops = operations();
  const part = (y: DataTensor, at: number): DataTensor => ops.slice(y, 2, at, 1);
  const fields: Readonly<Record<string, Field<DataTensor>>> = {
    decay: (_t, y) => ops.scale(y, -2),
    oscillator: (_t, y) => ops.concat([part(y, 1), ops.scale(part(y, 0), -9)], 2),
    'van-der-pol': (_t, y) => {
      const bracket = ops.subtract(state(1), ops.map(part(y, 0), 'square'));
      const damping = ops.scale(ops.multiply(bracket, part(y, 1)), 2);
      return ops.concat([part(y, 1), ops.subtract(damping, part(y, 0))], 2);
    },
    driven: (t, y) => ops.subtract(state(Math.cos(5 * t)), y),
  };

  it.each(equations.map((equation) => [equation.name, equation] as const))(
    'solves %s as the solver does, to its tolerance',
    (name, { start, end, solution }) => {
      const field = fields[name];
      if (field === undefined) throw new Error(`no field ${name}`);
      const errorAt = (tolerance: number): number => {
        const solved = solve(ops, field, state(...start), { end, tolerance, attemptsMax: 400 });
        expect(solved.withinTolerance).toBe(true);
        expect(solved.evaluations).toBeGreaterThanOrEqual(6 * solved.steps.length + 1);
        return furthest(solutionAt(ops, solved, end).values, solution);
      };
      expect(errorAt(1e-3)).toBeLessThan(2e-2);
      expect(errorAt(1e-6)).toBeLessThan(2e-5);
    },
  );

  it('accepts the last attempt whatever its error, and says so', () => {
    const field = fields['van-der-pol'] as Field<DataTensor>;
    const solved = solve(ops, field, state(2, 0), { end: 3, tolerance: 1e-9, attemptsMax: 3 });
    expect(solved.withinTolerance).toBe(false);
    expect(solved.steps.at(-1)?.to).toBe(3);
    expect(solved.evaluations).toBe(19);
  });
});
