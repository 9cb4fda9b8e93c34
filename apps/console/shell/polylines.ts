export const WIDTH = 120;
export const HEIGHT = 24;
const MARGIN = 2;

/** The parts of the line between gaps, as points of SVG. */
export const linesOf = (values: readonly (number | null)[]): readonly string[] => {
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
