import { HEIGHT, linesOf, WIDTH } from './polylines.js';

export interface SparklineProps {
  /** The meaning and the period of the values: a reader of the screen has nothing else. */
  readonly label: string;
  /** Null: not measured, which leaves a gap. */
  readonly values: readonly (number | null)[];
}

/** A small line without axes, beside a figure. It begins at zero. */
export const Sparkline = ({ label, values }: SparklineProps) => (
  <svg class="sparkline" role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
    {linesOf(values).map((points) => (
      <polyline key={points} points={points} />
    ))}
  </svg>
);
