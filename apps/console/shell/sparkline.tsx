const WIDTH = 120;
const HEIGHT = 24;
const MARGIN = 2;

export interface SparklineProps {
  /** What the values are, and of when: a reader of the screen has nothing else. */
  readonly label: string;
  /** Null: not measured, which leaves a gap. */
  readonly values: readonly (number | null)[];
}

/** The parts of the line between gaps, as points of SVG. */
export const linesOf = (values: SparklineProps['values']): readonly string[] => {
  const known = values.filter((value) => value !== null);
  const lowest = Math.min(...known, 0);
  const range = Math.max(...known, 0) - lowest || 1;
  const step = values.length > 1 ? (WIDTH - 2 * MARGIN) / (values.length - 1) : 0;
  const lines: string[][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === null) {
      lines.push([]);
      continue;
    }
    const x = MARGIN + index * step;
    const y = HEIGHT - MARGIN - ((value - lowest) / range) * (HEIGHT - 2 * MARGIN);
    lines.at(-1)?.push(`${x.toFixed(1)},${y.toFixed(1)}`);
  }
  return lines.filter((line) => line.length > 0).map((line) => line.join(' '));
};

/** A small line without axes, beside a figure. It begins at zero. */
export const Sparkline = ({ label, values }: SparklineProps) => (
  <svg class="sparkline" role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
    {linesOf(values).map((points) => (
      <polyline key={points} points={points} />
    ))}
  </svg>
);
