/** A classifier that must be made on the spot: three labelled points say where the classes lie. */
import { between, type ClassificationTask } from './task.js';

const CLASSES = 3;

export const fewShot: ClassificationTask = {
  name: 'few-shot-sectors',
  description:
    'Four points (x, y) on a noisy circle: one example of each of three classes, then the point ' +
    'in question. The classes are equal sectors, turned by a random angle in each input.',
  inputShape: [CLASSES + 1, 2],
  classes: ['first', 'second', 'third'],
  draw(random) {
    const label = random.below(CLASSES);
    const turn = between(random, 0, 2 * Math.PI);
    const order = random.pick([
      [0, 1, 2],
      [0, 2, 1],
    ]);
    const point = (index: number, spread: number): readonly [number, number] => {
      const centre = turn + (2 * Math.PI * (order[index] ?? 0)) / CLASSES;
      const angle = centre + between(random, -spread, spread) * (Math.PI / CLASSES);
      const radius = between(random, 0.6, 1);
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    };
    const examples = Array.from({ length: CLASSES }, (_, index) => point(index, 0.3)).flat();
    return { input: Float32Array.from([...examples, ...point(label, 0.9)]), label };
  },
};
