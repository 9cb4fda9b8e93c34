/** Points on the surface of solids that are turned and moved at random. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { between, type ClassificationTask } from './task.js';

const POINTS = 24;

export type Point = readonly [number, number, number];

const direction = (random: SeededRandom): Point => {
  const [x, y, z] = [random.normal(), random.normal(), random.normal()];
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
};

/** A point of the surface of a solid of about radius 1. */
const SURFACES: Readonly<Record<string, (random: SeededRandom) => Point>> = {
  sphere: direction,
  cube: (random) => {
    const [a, b] = [between(random, -0.75, 0.75), between(random, -0.75, 0.75)];
    const side = random.pick([-0.75, 0.75]);
    return random.pick<Point>([
      [side, a, b],
      [a, side, b],
      [a, b, side],
    ]);
  },
  rod: (random) => {
    const angle = between(random, 0, 2 * Math.PI);
    return [0.2 * Math.cos(angle), 0.2 * Math.sin(angle), between(random, -1.4, 1.4)];
  },
  torus: (random) => {
    const [around, tube] = [between(random, 0, 2 * Math.PI), between(random, 0, 2 * Math.PI)];
    const radius = 1 + 0.2 * Math.cos(tube);
    return [radius * Math.cos(around), radius * Math.sin(around), 0.2 * Math.sin(tube)];
  },
  'two-spheres': (random) => {
    const [x, y, z] = direction(random);
    return [0.45 * x, 0.45 * y, 0.45 * z + random.pick([-0.8, 0.8])];
  },
};

const CLASSES = Object.values(SURFACES);

/** A rotation matrix, row-major, uniform over all rotations: a random unit quaternion. */
export const randomRotation = (random: SeededRandom): readonly number[] => {
  const raw = [random.normal(), random.normal(), random.normal(), random.normal()];
  const length = Math.hypot(...raw);
  const [w = 1, x = 0, y = 0, z = 0] = raw.map((value) => value / length);
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ].flat();
};

/** Turns and then moves rows of three coordinates. */
export const transformed = (
  points: Float32Array,
  rotation: readonly number[],
  [dx, dy, dz]: Point,
): Float32Array => {
  const moved = new Float32Array(points.length);
  const by = [dx, dy, dz];
  for (let index = 0; index < points.length; index += 1) {
    const [row, start] = [3 * (index % 3), index - (index % 3)];
    moved[index] =
      (rotation[row] ?? 0) * (points[start] ?? 0) +
      (rotation[row + 1] ?? 0) * (points[start + 1] ?? 0) +
      (rotation[row + 2] ?? 0) * (points[start + 2] ?? 0) +
      (by[index % 3] ?? 0);
  }
  return moved;
};

export const solids: ClassificationTask = {
  name: 'solids',
  description:
    'Twenty-four points (x, y, z) with noise from the surface of a solid, turned by a random ' +
    'rotation and moved; the class is the solid.',
  inputShape: [POINTS, 3],
  classes: Object.keys(SURFACES),
  draw(random) {
    const label = random.below(CLASSES.length);
    const scale = between(random, 0.9, 1.1);
    const cloud = Float32Array.from(
      Array.from({ length: POINTS }, () => CLASSES[label]?.(random) ?? [0, 0, 0]).flat(),
      (value) => scale * value + 0.03 * random.normal(),
    );
    const shift: Point = [random.normal(), random.normal(), random.normal()];
    return { input: transformed(cloud, randomRotation(random), shift), label };
  },
};
