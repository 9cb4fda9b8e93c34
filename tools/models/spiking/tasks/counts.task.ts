/** How many discs a picture shows: tokens must be added up, which attention by addition can do. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { degrade, disc, paint, union } from './canvas.js';
import { between, type ClassificationTask } from './task.js';

const SIZE = 16;
const RADIUS_MAX = 2;

/** Centres so far apart that no two discs touch; drawn again until all fit. */
const centres = (random: SeededRandom, count: number): readonly (readonly [number, number])[] => {
  const found: (readonly [number, number])[] = [];
  while (found.length < count) {
    const [x, y] = [between(random, 2.5, SIZE - 2.5), between(random, 2.5, SIZE - 2.5)];
    const free = found.every(([px, py]) => Math.hypot(px - x, py - y) > 2 * RADIUS_MAX + 1);
    if (free) found.push([x, y]);
  }
  return found;
};

export const counts: ClassificationTask = {
  name: 'counts-16x16',
  description:
    'A grey picture of 16x16 pixels in [0, 1] with one to four discs of random sizes that do not ' +
    'touch; the class is their number.',
  inputShape: [SIZE, SIZE],
  classes: ['one', 'two', 'three', 'four'],
  draw(random) {
    const label = random.below(4);
    const discs = centres(random, label + 1).map(([x, y]) =>
      disc(x, y, between(random, 1.2, RADIUS_MAX)),
    );
    return { input: degrade(paint(union(...discs), SIZE), random, 0.06), label };
  },
};
