/** Textures of 16x16 pixels, which the hybrid of convolutions and spikes tells apart. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { degrade } from './canvas.js';
import { between, type ClassificationTask } from './task.js';

const SIZE = 16;

type Pattern = (x: number, y: number) => number;

const stripes = (random: SeededRandom, direction: number): Pattern => {
  const angle = direction + between(random, -0.15, 0.15);
  const frequency = (2 * Math.PI) / between(random, 3, 6);
  const phase = between(random, 0, 2 * Math.PI);
  return (x, y) =>
    0.5 + 0.5 * Math.sin(frequency * (x * Math.cos(angle) + y * Math.sin(angle)) + phase);
};

const PATTERNS: Readonly<Record<string, (random: SeededRandom) => Pattern>> = {
  'vertical-stripes': (random) => stripes(random, 0),
  'horizontal-stripes': (random) => stripes(random, Math.PI / 2),
  'diagonal-stripes': (random) => stripes(random, random.pick([1, 3]) * (Math.PI / 4)),
  checkers: (random) => {
    const side = between(random, 2, 4);
    const [dx, dy] = [between(random, 0, 8), between(random, 0, 8)];
    return (x, y) => (Math.floor((x + dx) / side) + Math.floor((y + dy) / side)) % 2;
  },
  'round-waves': (random) => {
    const [cx, cy] = [between(random, 3, 13), between(random, 3, 13)];
    const frequency = (2 * Math.PI) / between(random, 3, 5);
    return (x, y) => 0.5 + 0.5 * Math.cos(frequency * Math.hypot(x - cx, y - cy));
  },
  speckle: (random) => {
    const density = between(random, 0.3, 0.6);
    const values = Array.from({ length: SIZE * SIZE }, () => (random.next() < density ? 1 : 0));
    return (x, y) => values[Math.floor(y) * SIZE + Math.floor(x)] ?? 0;
  },
};

const CLASSES = Object.entries(PATTERNS);

export const textures: ClassificationTask = {
  name: 'textures-16x16',
  description:
    'A grey picture of 16x16 pixels in [0, 1] filled by one texture of random scale, direction ' +
    'and phase under Gaussian noise; the class is the texture.',
  inputShape: [SIZE, SIZE],
  classes: Object.keys(PATTERNS),
  draw(random) {
    const label = random.below(CLASSES.length);
    const pattern = CLASSES[label]?.[1](random);
    const picture = Float32Array.from(
      { length: SIZE * SIZE },
      (_, index) => pattern?.((index % SIZE) + 0.5, Math.floor(index / SIZE) + 0.5) ?? 0,
    );
    return { input: degrade(picture, random, 0.12), label };
  },
};
