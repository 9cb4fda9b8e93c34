/** Charts of our own: they need no script from elsewhere, and take the colours of the text. */

const BAR_WIDTH = 160;
const BAR_HEIGHT = 12;

/** The part of a whole, beside the figure that it shows. */
export const Bar = ({ share }: { readonly share: number }) => (
  <svg width={BAR_WIDTH} height={BAR_HEIGHT} aria-hidden="true" focusable="false">
    <rect width={BAR_WIDTH} height={BAR_HEIGHT} fill="currentColor" fill-opacity="0.1" />
    <rect
      width={BAR_WIDTH * Math.min(1, Math.max(0, share))}
      height={BAR_HEIGHT}
      fill="currentColor"
    />
  </svg>
);

export interface Line {
  readonly name: string;
  /** In the order of x. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

const WIDTH = 640;
const HEIGHT = 240;
const LEFT = 64;
const BOTTOM = 24;
const TOP = 8;
const DASHES = ['none', '6 3', '2 2', '8 2 2 2'];

const spanOf = (values: readonly number[]): readonly [number, number] => {
  const least = Math.min(...values);
  const most = Math.max(...values);
  return [least, most === least ? least + 1 : most];
};

const shown = (value: number): string => String(Number(value.toPrecision(4)));

/** Lines over one axis. The legend tells them apart by their dashes. */
export const Lines = ({
  label,
  lines,
}: {
  readonly label: string;
  readonly lines: readonly Line[];
}) => {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return null;
  const [left, right] = spanOf(points.map(([x]) => x));
  const [low, high] = spanOf(points.map(([, y]) => y));
  const at = ([x, y]: readonly [number, number]): string => {
    const across = LEFT + ((x - left) / (right - left)) * (WIDTH - LEFT);
    const down = TOP + ((high - y) / (high - low)) * (HEIGHT - TOP - BOTTOM);
    return `${across.toFixed(1)},${down.toFixed(1)}`;
  };
  return (
    <figure>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width="100%" role="img" aria-label={label}>
        <g fill="currentColor" font-size="12">
          <text x="0" y={TOP + 8}>
            {shown(high)}
          </text>
          <text x="0" y={HEIGHT - BOTTOM}>
            {shown(low)}
          </text>
          <text x={LEFT} y={HEIGHT - 4}>
            {shown(left)}
          </text>
          <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">
            {shown(right)}
          </text>
        </g>
        <path
          d={`M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH}`}
          fill="none"
          stroke="currentColor"
          stroke-opacity="0.4"
        />
        {lines.map((line, index) => (
          <polyline
            key={line.name}
            points={line.points.map(at).join(' ')}
            fill="none"
            stroke="currentColor"
            stroke-width="2"
            stroke-dasharray={DASHES[index % DASHES.length]}
          />
        ))}
      </svg>
      <figcaption class="quiet">
        {lines.map(({ name }, index) => (
          <span key={name}>
            <svg width="32" height="8" aria-hidden="true" focusable="false">
              <path
                d="M0 4H32"
                stroke="currentColor"
                stroke-width="2"
                stroke-dasharray={DASHES[index % DASHES.length]}
              />
            </svg>{' '}
            {name}{' '}
          </span>
        ))}
      </figcaption>
    </figure>
  );
};
