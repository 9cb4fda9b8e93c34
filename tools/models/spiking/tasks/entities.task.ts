/** Things described by ten noisy properties: the facts from which the logic network learns. */
import type { ClassificationTask } from './task.js';

export const PROPERTIES = [
  'metal',
  'engine',
  'wheels',
  'wings',
  'legs',
  'eats',
  'grows',
  'fur',
  'talks',
  'size',
] as const;

/** Typical value of each property in [0, 1], in the order of `PROPERTIES`. */
const KINDS: Readonly<Record<string, readonly number[]>> = {
  robot: [1, 0.8, 0.3, 0, 0.7, 0, 0, 0, 0.7, 0.5],
  vehicle: [1, 1, 1, 0, 0, 0, 0, 0, 0.1, 0.9],
  drone: [0.8, 1, 0, 1, 0.2, 0, 0, 0, 0, 0.2],
  bird: [0, 0, 0, 1, 0.8, 1, 1, 0, 0.3, 0.1],
  dog: [0, 0, 0, 0, 1, 1, 1, 1, 0, 0.4],
  human: [0.1, 0, 0, 0, 1, 1, 1, 0.2, 1, 0.6],
};

const NAMES = Object.keys(KINDS);

export const entities: ClassificationTask = {
  name: 'entities',
  description:
    `Ten properties in [0, 1] (${PROPERTIES.join(', ')}) of one thing, with strong noise; the ` +
    'class is its kind.',
  inputShape: [PROPERTIES.length],
  classes: NAMES,
  draw(random) {
    const label = random.below(NAMES.length);
    const typical = KINDS[NAMES[label] ?? ''] ?? [];
    const input = Float32Array.from(typical, (value) =>
      Math.min(1, Math.max(0, value + 0.3 * random.normal())),
    );
    return { input, label };
  },
};
