/** Brightness of each pixel, row by row. */
export interface GreyFrame {
  readonly width: number;
  readonly height: number;
  readonly values: Uint8Array;
}

/** The luma of ITU-R BT.601. @param pixels red, green and blue of each pixel */
export const greyOf = (pixels: Uint8Array, width: number, height: number): GreyFrame => ({
  width,
  height,
  values: Uint8Array.from({ length: width * height }, (_, at) =>
    Math.round(
      0.299 * (pixels[3 * at] ?? 0) +
        0.587 * (pixels[3 * at + 1] ?? 0) +
        0.114 * (pixels[3 * at + 2] ?? 0),
    ),
  ),
});

/** A binomial filter of three by three; the edges continue. */
export const blurred = ({ width, height, values }: GreyFrame): GreyFrame => {
  const result = new Uint8Array(values.length);
  for (let y = 0; y < height; y += 1) {
    const rows = [Math.max(0, y - 1), y, Math.min(height - 1, y + 1)] as const;
    for (let x = 0; x < width; x += 1) {
      const columns = [Math.max(0, x - 1), x, Math.min(width - 1, x + 1)] as const;
      const [above = 0, here = 0, below = 0] = rows.map((row) => {
        const at = (column: number): number => values[row * width + column] ?? 0;
        return at(columns[0]) + 2 * at(columns[1]) + at(columns[2]);
      });
      result[y * width + x] = (above + 2 * here + below + 8) >> 4;
    }
  }
  return { width, height, values: result };
};

export interface Separation {
  /** The darker class has this value at most. */
  readonly threshold: number;
  /** The variance between the classes over the variance of all pixels: 1 for two values. */
  readonly share: number;
}

/** The threshold of Otsu: the one whose classes differ most. */
export const separationOf = ({ values }: GreyFrame): Separation => {
  const counts = new Float64Array(256);
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  const total = values.length;
  const mean = counts.reduce((sum, count, value) => sum + count * value, 0) / total;
  const variance = counts.reduce((sum, count, value) => sum + count * (value - mean) ** 2, 0);
  let best: Separation = { threshold: 0, share: 0 };
  let [below, sumBelow] = [0, 0];
  for (let threshold = 0; threshold < 255; threshold += 1) {
    below += counts[threshold] ?? 0;
    sumBelow += threshold * (counts[threshold] ?? 0);
    const above = total - below;
    if (below === 0 || above === 0) continue;
    const apart = sumBelow / below - (mean * total - sumBelow) / above;
    const share = (below * above * apart ** 2) / total / variance;
    if (share > best.share) best = { threshold, share };
  }
  return best;
};
