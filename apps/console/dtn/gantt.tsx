/** An interval in a row of its own name. */
export interface Interval {
  readonly row: string;
  readonly startsAt: string;
  readonly endsAt: string;
}

const WIDTH = 640;
const LEFT = 160;
const ROW = 24;
const AXIS = 24;
const NAME_LENGTH_MAX = 22;
/** Of a contact that is short beside the whole time. */
const BAR_WIDTH_MIN = 2;

/** Intervals over time, one row for each name. A table on the page has the same instants. */
export const Gantt = ({
  label,
  intervals,
}: {
  readonly label: string;
  readonly intervals: readonly Interval[];
}) => {
  const rows = [...new Set(intervals.map(({ row }) => row))];
  const first = Math.min(...intervals.map((one) => Date.parse(one.startsAt)));
  const last = Math.max(...intervals.map((one) => Date.parse(one.endsAt)));
  const across = (at: string): number =>
    LEFT + ((Date.parse(at) - first) / Math.max(1, last - first)) * (WIDTH - LEFT);
  const height = rows.length * ROW + AXIS;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${height}`} width="100%" role="img" aria-label={label}>
      <g fill="currentColor" font-size="12">
        {rows.map((row, index) => (
          <text key={row} x="0" y={index * ROW + 16}>
            {row.length > NAME_LENGTH_MAX ? `${row.slice(0, NAME_LENGTH_MAX - 1)}…` : row}
          </text>
        ))}
        {intervals.map(({ row, startsAt, endsAt }) => (
          <rect
            key={`${row} ${startsAt} ${endsAt}`}
            x={across(startsAt)}
            y={rows.indexOf(row) * ROW + 4}
            width={Math.max(BAR_WIDTH_MIN, across(endsAt) - across(startsAt))}
            height={ROW - 8}
            fill-opacity="0.7"
          />
        ))}
        <text x={LEFT} y={height - 6}>
          {new Date(first).toISOString()}
        </text>
        <text x={WIDTH} y={height - 6} text-anchor="end">
          {new Date(last).toISOString()}
        </text>
      </g>
    </svg>
  );
};
