/** Points of the plane whose class has a curved border. */
import { between, type ClassificationTask } from './task.js';

const ARMS = 3;

export const spirals: ClassificationTask = {
  name: 'spirals',
  description:
    'A point (x, y) of the plane, both in about [-1, 1]; the class is the arm of a three-armed ' +
    'spiral on which it lies.',
  inputShape: [2],
  classes: ['arm-1', 'arm-2', 'arm-3'],
  draw(random) {
    const label = random.below(ARMS);
    const radius = between(random, 0.1, 1);
    const angle = (2 * Math.PI * label) / ARMS + 4 * radius + 0.15 * random.normal();
    const noise = (): number => 0.02 * random.normal();
    const input = Float32Array.of(
      radius * Math.cos(angle) + noise(),
      radius * Math.sin(angle) + noise(),
    );
    return { input, label };
  },
};

/** Inner and outer radius of each class. */
const RINGS = [
  [0, 0.35],
  [0.45, 0.65],
  [0.75, 1],
] as const;

export const nestedRings: ClassificationTask = {
  name: 'nested-rings',
  description:
    'A point (x, y) of the plane, both in about [-1, 1], with noise; the class says whether it ' +
    'comes from the disc in the middle, the ring around it, or the outer ring.',
  inputShape: [2],
  classes: ['inner-disc', 'middle-ring', 'outer-ring'],
  draw(random) {
    const label = random.below(RINGS.length);
    const [inner, outer] = RINGS[label] ?? [0, 0];
    // The square root spreads points evenly over the area.
    const radius = Math.sqrt(between(random, inner ** 2, outer ** 2)) + 0.02 * random.normal();
    const angle = between(random, 0, 2 * Math.PI);
    return { input: Float32Array.of(radius * Math.cos(angle), radius * Math.sin(angle)), label };
  },
};
