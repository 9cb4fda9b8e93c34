/** Pixels that are set, row by row: 1, or 0. */
export interface Mask {
  readonly width: number;
  readonly height: number;
  readonly values: Uint8Array;
}

/** Pixels that touch, also at corners. */
export interface Component {
  readonly area: number;
  /** In pixels; the right and the bottom edge are outside. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly centre: readonly [x: number, y: number];
  /** The longer axis of its second moments over the shorter one. */
  readonly elongation: number;
  /** Indices of its pixels. */
  readonly pixels: readonly number[];
}

/** The components of a mask in the order of their first pixels. */
export const componentsOf = ({ width, height, values }: Mask): Component[] => {
  const open = Uint8Array.from(values);
  const found: Component[] = [];
  for (let start = 0; start < open.length; start += 1) {
    if (open[start] === 0) continue;
    open[start] = 0;
    const pixels = [start];
    // The list grows while it is read: each pixel once.
    for (const at of pixels) {
      const [x, y] = [at % width, Math.floor(at / width)];
      for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1) {
        for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1) {
          const next = row * width + column;
          if (open[next] === 0) continue;
          open[next] = 0;
          pixels.push(next);
        }
      }
    }
    found.push(measured(pixels, width));
  }
  return found;
};

const measured = (pixels: readonly number[], width: number): Component => {
  let [left, top, right, bottom] = [Infinity, Infinity, 0, 0];
  let [sumX, sumY, sumXX, sumYY, sumXY] = [0, 0, 0, 0, 0];
  for (const at of pixels) {
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + 1), Math.max(bottom, y + 1)];
    sumX += x;
    sumY += y;
    sumXX += x * x;
    sumYY += y * y;
    sumXY += x * y;
  }
  const area = pixels.length;
  const [x, y] = [sumX / area, sumY / area];
  // A pixel has a size of its own: a twelfth is the variance of a square of side one.
  const [xx, yy] = [sumXX / area - x * x + 1 / 12, sumYY / area - y * y + 1 / 12];
  const apart = Math.hypot((xx - yy) / 2, sumXY / area - x * y);
  const half = (xx + yy) / 2;
  const elongation = Math.sqrt((half + apart) / Math.max(half - apart, Number.EPSILON));
  return { area, left, top, right, bottom, centre: [x, y], elongation, pixels };
};
