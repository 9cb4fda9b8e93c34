/** Where one shape lies from another: no single patch of the picture holds the answer. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { box, degrade, disc, outline, paint, union } from './canvas.js';
import { between, type ClassificationTask } from './task.js';

const SIZE = 16;

/** Unit steps from the ring to the plus; y grows downwards. */
const RELATIONS: readonly (readonly [string, number, number])[] = [
  ['plus-right-of-ring', 1, 0],
  ['plus-below-ring', 0, 1],
  ['plus-left-of-ring', -1, 0],
  ['plus-above-ring', 0, -1],
];

const centres = (dx: number, dy: number, random: SeededRandom): readonly number[] => {
  const gap = between(random, 7, 9);
  const drift = between(random, -2, 2);
  const [stepX, stepY] = [dx * gap + dy * drift, dy * gap + dx * drift];
  const start = (step: number): number =>
    between(random, 3 + Math.max(0, -step), 13 - Math.max(0, step));
  const [x, y] = [start(stepX), start(stepY)];
  return [x, y, x + stepX, y + stepY];
};

export const relations: ClassificationTask = {
  name: 'relations-16x16',
  description:
    'A grey picture of 16x16 pixels in [0, 1] with a ring and a plus; the class says on which ' +
    'side of the ring the plus lies.',
  inputShape: [SIZE, SIZE],
  classes: RELATIONS.map(([name]) => name),
  draw(random) {
    const label = random.below(RELATIONS.length);
    const [, dx, dy] = RELATIONS[label] ?? ['', 0, 0];
    const [ringX = 0, ringY = 0, plusX = 0, plusY = 0] = centres(dx, dy, random);
    const ring = outline(disc(ringX, ringY, 2), 0.6);
    const plus = union(box(plusX, plusY, 2.4, 0.6), box(plusX, plusY, 0.6, 2.4));
    return { input: degrade(paint(union(ring, plus), SIZE), random, 0.06), label };
  },
};
