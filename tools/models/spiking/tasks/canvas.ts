/** Drawing on a small grey image with soft edges, so that position is not limited to pixels. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { between } from './task.js';

/** Signed distance to an outline in pixels: negative inside. */
export type Shape = (x: number, y: number) => number;

export const disc =
  (cx: number, cy: number, radius: number): Shape =>
  (x, y) =>
    Math.hypot(x - cx, y - cy) - radius;

/** Width is twice `halfWidth`. */
export const box =
  (cx: number, cy: number, halfWidth: number, halfHeight: number): Shape =>
  (x, y) =>
    Math.max(Math.abs(x - cx) - halfWidth, Math.abs(y - cy) - halfHeight);

/** The points within `halfWidth` of the segment. */
export const stroke =
  (x1: number, y1: number, x2: number, y2: number, halfWidth: number): Shape =>
  (x, y) => {
    const squared = (x2 - x1) ** 2 + (y2 - y1) ** 2;
    const along = squared === 0 ? 0 : ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / squared;
    const t = Math.min(1, Math.max(0, along));
    return Math.hypot(x - x1 - t * (x2 - x1), y - y1 - t * (y2 - y1)) - halfWidth;
  };

/** A convex polygon of equal sides. `angle` turns it, in radians. */
export const polygon = (
  cx: number,
  cy: number,
  radius: number,
  sides: number,
  angle: number,
): Shape => {
  const apothem = radius * Math.cos(Math.PI / sides);
  const normals = Array.from({ length: sides }, (_, side) => {
    const direction = angle + (2 * Math.PI * (side + 0.5)) / sides;
    return [Math.cos(direction), Math.sin(direction)] as const;
  });
  return (x, y) => Math.max(...normals.map(([nx, ny]) => (x - cx) * nx + (y - cy) * ny)) - apothem;
};

/** The outline of a shape, `2 * halfWidth` thick. */
export const outline =
  (shape: Shape, halfWidth: number): Shape =>
  (x, y) =>
    Math.abs(shape(x, y)) - halfWidth;

export const union =
  (...shapes: readonly Shape[]): Shape =>
  (x, y) =>
    Math.min(...shapes.map((shape) => shape(x, y)));

/** Shape `a` without shape `b`. */
export const without =
  (a: Shape, b: Shape): Shape =>
  (x, y) =>
    Math.max(a(x, y), -b(x, y));

/**
 * Coverage of each pixel in [0, 1], row-major.
 * Pixel (i, j) has its centre at (i + 0.5, j + 0.5).
 */
export const paint = (shape: Shape, width: number, height: number = width): Float32Array =>
  Float32Array.from({ length: width * height }, (_, index) => {
    const distance = shape((index % width) + 0.5, Math.floor(index / width) + 0.5);
    return Math.min(1, Math.max(0, 0.5 - distance));
  });

/** Scales the picture by a random contrast, adds Gaussian noise, and clips to [0, 1]. */
export const degrade = (
  picture: Float32Array,
  random: SeededRandom,
  noise: number,
): Float32Array => {
  const contrast = between(random, 0.7, 1);
  return picture.map((value) =>
    Math.min(1, Math.max(0, value * contrast + noise * random.normal())),
  );
};
