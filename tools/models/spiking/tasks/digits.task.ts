/** Digits drawn as strokes on 8x8 pixels. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { degrade, paint, stroke, union, type Shape } from './canvas.js';
import { between, type ClassificationTask } from './task.js';

const SIZE = 8;

/** Strokes between points of a 3-wide, 5-high grid: x1 y1 x2 y2, y downwards. */
const STROKES: readonly (readonly string[])[] = [
  ['0020', '2024', '2404', '0400'],
  ['1014', '1001'],
  ['0020', '2022', '2202', '0204', '0424'],
  ['0020', '2024', '0222', '0424'],
  ['0002', '0222', '2024'],
  ['2000', '0002', '0222', '2224', '2404'],
  ['2000', '0004', '0424', '2422', '2202'],
  ['0020', '2014'],
  ['0020', '2024', '2404', '0400', '0222'],
  ['2404', '2420', '2000', '0002', '0222'],
];

const drawDigit = (digit: number, random: SeededRandom): Shape => {
  const [scale, slant] = [between(random, 1.15, 1.4), between(random, -0.15, 0.15)];
  const [left, top] = [between(random, 1.8, 3.4), between(random, 0.9, 1.9)];
  const halfWidth = between(random, 0.35, 0.55);
  const point = (x: number, y: number): readonly [number, number] => [
    left + scale * (x + slant * (2 - y)),
    top + scale * y,
  ];
  const strokes = STROKES[digit]?.map((code) => {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = Array.from(code, Number);
    return stroke(...point(x1, y1), ...point(x2, y2), halfWidth);
  });
  return union(...(strokes ?? []));
};

export const digits: ClassificationTask = {
  name: 'digits-8x8',
  description:
    'A grey picture of 8x8 pixels in [0, 1] with one digit drawn in strokes of random place, ' +
    'slant, size and weight under Gaussian noise; the class is the digit.',
  inputShape: [SIZE, SIZE],
  classes: STROKES.map((_, digit) => `digit-${digit}`),
  draw(random) {
    const label = random.below(STROKES.length);
    return { input: degrade(paint(drawDigit(label, random), SIZE), random, 0.06), label };
  },
};
