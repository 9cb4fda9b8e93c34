/** Dormand and Prince's method of orders 5 and 4 with error control, on tensors. */
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';

/** Times of the stages, in steps. */
const TIMES = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1] as const;
/**
 * The weights of each stage; the last row is the solution of order 5, which starts the next step.
 */
const STAGES: readonly (readonly number[])[] = [
  [],
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
/** The solution of order 5 minus the solution of order 4. */
const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40] as const;

/** An accepted step from `from` to `to`, with the solution and its slope at both ends. */
export interface SolvedStep<Tensor> {
  readonly from: number;
  readonly to: number;
  readonly start: Tensor;
  readonly end: Tensor;
  readonly startSlope: Tensor;
  readonly endSlope: Tensor;
}

export interface Solution<Tensor> {
  readonly steps: readonly SolvedStep<Tensor>[];
  readonly evaluations: number;
  /** False when the attempts ran out and the last step was accepted as it was. */
  readonly withinTolerance: boolean;
}

export interface SolverOptions {
  readonly end: number;
  readonly tolerance: number;
  /** Accepted and rejected steps together; 6 evaluations each, and one at the start. */
  readonly attemptsMax: number;
}

export type Field<Tensor> = (time: number, state: Tensor) => Tensor;

/** `sum_i factors[i] tensors[i]`; terms of factor 0 are left out. */
const combination = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  start: Tensor | null,
  factors: readonly number[],
  tensors: readonly Tensor[],
): Tensor => {
  let total = start;
  for (const [index, tensor] of tensors.entries()) {
    const factor = factors[index] ?? 0;
    if (factor === 0) continue;
    const term = ops.scale(tensor, factor);
    total = total === null ? term : ops.add(total, term);
  }
  if (total === null) throw new RangeError('a combination of nothing');
  return total;
};

interface TrialStep<Tensor> {
  readonly end: Tensor;
  readonly endSlope: Tensor;
  /** Of the largest error over what is tolerated; up to 1 is good. */
  readonly error: number;
}

const attempt = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  field: Field<Tensor>,
  { from, length, start, slope }: { from: number; length: number; start: Tensor; slope: Tensor },
  tolerance: number,
): TrialStep<Tensor> => {
  const slopes = [slope];
  let end = start;
  for (const [stage, row] of STAGES.entries()) {
    if (stage === 0) continue;
    end = combination(
      ops,
      start,
      row.map((factor) => factor * length),
      slopes,
    );
    slopes.push(field(from + (TIMES[stage] ?? 0) * length, end));
  }
  const error = ops.valuesOf(
    combination(
      ops,
      null,
      ERROR.map((factor) => factor * length),
      slopes,
    ),
  );
  const reached = ops.valuesOf(end);
  const excess = error.reduce((most, value, at) => {
    return Math.max(most, Math.abs(value) / (tolerance * (1 + Math.abs(reached[at] ?? 0))));
  }, 0);
  return { end, endSlope: slopes.at(-1) ?? slope, error: excess };
};

/** The next length of a step, by the usual rule: at most five times, at least a fifth. */
const rescaled = (length: number, error: number): number =>
  length * Math.min(5, Math.max(0.2, 0.9 * Math.max(error, 1e-10) ** -0.2));

/**
 * Solves `y' = field(t, y)` from t = 0. Where the run must be exhaustive it takes `attemptsMax`
 * equal steps, which is the most that error control would take.
 */
export const solve = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  field: Field<Tensor>,
  start: Tensor,
  { end, tolerance, attemptsMax }: SolverOptions,
): Solution<Tensor> => {
  const steps: SolvedStep<Tensor>[] = [];
  let [from, length, withinTolerance] = [0, end / (ops.exhaustive ? attemptsMax : 4), true];
  let state = start;
  let slope = field(0, start);
  let evaluations = 1;
  for (let attempts = 1; attempts <= attemptsMax && from < end; attempts += 1) {
    const isLast = attempts === attemptsMax;
    const rest = end - from;
    const step = isLast || length > rest * 0.999 ? rest : length;
    const tried = attempt(ops, field, { from, length: step, start: state, slope }, tolerance);
    evaluations += STAGES.length - 1;
    const isGood = tried.error <= 1;
    if (isGood || isLast || ops.exhaustive) {
      const [to, startSlope] = [from + step, slope];
      steps.push({ from, to, start: state, startSlope, end: tried.end, endSlope: tried.endSlope });
      withinTolerance &&= isGood;
      [from, state, slope] = [step === rest ? end : to, tried.end, tried.endSlope];
    }
    if (!ops.exhaustive) length = rescaled(step, tried.error);
  }
  return { steps, evaluations, withinTolerance };
};

/** The solution at one time, by Hermite's cubic between the ends of its step. */
export const solutionAt = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  { steps }: Solution<Tensor>,
  time: number,
): Tensor => {
  const step = steps.find(({ to }) => time <= to) ?? steps.at(-1);
  if (step === undefined) throw new RangeError('a solution without a step');
  const length = step.to - step.from;
  const s = (time - step.from) / length;
  const factors = [
    (1 + 2 * s) * (1 - s) ** 2,
    s ** 2 * (3 - 2 * s),
    length * s * (1 - s) ** 2,
    length * s ** 2 * (s - 1),
  ];
  const ends = [step.start, step.end, step.startSlope, step.endSlope];
  return combination(ops, null, factors, ends);
};
