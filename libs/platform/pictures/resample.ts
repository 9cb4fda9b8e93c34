import { COLOURS, type Picture } from './picture.js';

/** The pixels that one pixel of the result is made of, along one axis. */
interface Taps {
  readonly first: number;
  readonly weights: readonly number[];
}

/** The cubic of Catmull and Rom, which goes through the pixels. */
const cubic = (distance: number): number => {
  const x = Math.abs(distance);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return 0;
};

/** A smaller result has a wider cubic, so that every pixel counts. */
const tapsOf = (to: number, offset: number, scale: number): readonly Taps[] => {
  const width = Math.max(1, 1 / scale);
  return Array.from({ length: to }, (_, at) => {
    const centre = (at + 0.5 - offset) / scale - 0.5;
    const first = Math.ceil(centre - 2 * width);
    const last = Math.floor(centre + 2 * width);
    const weights = Array.from({ length: last - first + 1 }, (__, tap) =>
      cubic((first + tap - centre) / width),
    );
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return { first, weights: weights.map((weight) => weight / sum) };
  });
};

/**
 * A picture of another size by cubic interpolation. Its shape is kept: the shorter side of the
 * result shows all of the picture where `fit` is `whole`, and its edges continue to the ends of the
 * longer side; `cover` fills the result and cuts what is outside.
 */
export const resample = (
  { width, height, pixels }: Picture,
  to: Pick<Picture, 'width' | 'height'>,
  fit: 'whole' | 'cover',
): Picture => {
  const [across, down] = [to.width / width, to.height / height];
  const scale = fit === 'whole' ? Math.min(across, down) : Math.max(across, down);
  const columns = tapsOf(to.width, (to.width - width * scale) / 2, scale);
  const rows = tapsOf(to.height, (to.height - height * scale) / 2, scale);
  const wide = new Float32Array(height * to.width * COLOURS);
  const clamp = (at: number, size: number): number => Math.max(0, Math.min(size - 1, at));
  for (let y = 0; y < height; y += 1) {
    for (const [x, { first, weights }] of columns.entries()) {
      for (const [tap, weight] of weights.entries()) {
        const from = (y * width + clamp(first + tap, width)) * COLOURS;
        const at = (y * to.width + x) * COLOURS;
        for (let colour = 0; colour < COLOURS; colour += 1) {
          wide[at + colour] = (wide[at + colour] ?? 0) + weight * (pixels[from + colour] ?? 0);
        }
      }
    }
  }
  const rowLength = to.width * COLOURS;
  const result = new Uint8ClampedArray(to.height * rowLength);
  const sums = new Float32Array(rowLength);
  for (const [y, { first, weights }] of rows.entries()) {
    sums.fill(0);
    for (const [tap, weight] of weights.entries()) {
      const from = clamp(first + tap, height) * rowLength;
      for (let at = 0; at < rowLength; at += 1) {
        sums[at] = (sums[at] ?? 0) + weight * (wide[from + at] ?? 0);
      }
    }
    result.set(sums, y * rowLength);
  }
  return { ...to, pixels: new Uint8Array(result.buffer) };
};
