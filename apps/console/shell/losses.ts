import { type ServerEvent } from './server-events.js';

export type LossPoint = readonly [step: number, loss: number];

/** Of one curve; a longer one keeps every second point. */
export const POINTS_MAX = 2_000;

/** The loss that an event of a job states. Null: none. */
export const lossIn = ({ name, data }: ServerEvent): LossPoint | null => {
  if (name !== 'progressed') return null;
  const { details } = JSON.parse(data) as { readonly details: object };
  if (!('step' in details && 'loss' in details)) return null;
  const { step, loss } = details;
  return typeof step === 'number' && typeof loss === 'number' ? [step, loss] : null;
};

/** A later attempt repeats steps: its losses replace the ones from its first step on. */
export const withLoss = (points: readonly LossPoint[], next: LossPoint): readonly LossPoint[] => {
  const all = [...points.filter(([step]) => step < next[0]), next];
  return all.length <= POINTS_MAX ? all : all.filter((_, index) => (all.length - index) % 2 === 1);
};

export interface Curve {
  readonly name: string;
  readonly points: readonly LossPoint[];
}

/** Curves over the steps of all of them. Undefined: the curve has no point at the step. */
export const alignedCurves = (curves: readonly Curve[]) => {
  const steps = curves.flatMap(({ points }) => points.map(([step]) => step));
  const at = [...new Set(steps)].sort((one, other) => one - other);
  const series = curves.map(({ name, points }) => {
    const losses = new Map(points);
    return { name, values: at.map((step) => losses.get(step)) };
  });
  return { at, series };
};
