/** Drawn shapes: what the spiking ResNet (16x16) and the diffusion model (8x8) see. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import {
  box,
  degrade,
  disc,
  outline,
  paint,
  polygon,
  stroke,
  union,
  without,
  type Shape,
} from './canvas.js';
import { between, type ClassificationTask } from './task.js';

type Draw = (cx: number, cy: number, radius: number, random: SeededRandom) => Shape;

const SHAPES: Readonly<Record<string, Draw>> = {
  disc: (cx, cy, r) => disc(cx, cy, r),
  ring: (cx, cy, r) => outline(disc(cx, cy, r * 0.8), r * 0.2),
  square: (cx, cy, r) => box(cx, cy, r * 0.85, r * 0.85),
  triangle: (cx, cy, r, random) =>
    polygon(cx, cy, r * 1.2, 3, -Math.PI / 2 + between(random, -0.2, 0.2)),
  plus: (cx, cy, r) => union(box(cx, cy, r, r * 0.25), box(cx, cy, r * 0.25, r)),
  saltire: (cx, cy, r) => {
    const d = r * 0.75;
    return union(
      stroke(cx - d, cy - d, cx + d, cy + d, r * 0.22),
      stroke(cx - d, cy + d, cx + d, cy - d, r * 0.22),
    );
  },
  bar: (cx, cy, r, random) =>
    random.next() < 0.5 ? box(cx, cy, r, r * 0.3) : box(cx, cy, r * 0.3, r),
  crescent: (cx, cy, r, random) =>
    without(disc(cx, cy, r), disc(cx + random.pick([-1, 1]) * r * 0.55, cy, r * 0.8)),
};

const classesOf = (names: readonly string[]): readonly (readonly [string, Draw])[] =>
  names.map((name) => {
    const draw = SHAPES[name];
    if (draw === undefined) throw new RangeError(`there is no shape ${name}`);
    return [name, draw];
  });

const shapesTask = (size: number, names: readonly string[], noise: number): ClassificationTask => {
  const classes = classesOf(names);
  return {
    name: `shapes-${size}x${size}`,
    description:
      `A grey picture of ${size}x${size} pixels in [0, 1] that shows one drawn shape at a random ` +
      'place, size and contrast under Gaussian noise; the class is the shape.',
    inputShape: [size, size],
    classes: names,
    draw(random) {
      const label = random.below(classes.length);
      const [, shape] = classes[label] ?? ['', SHAPES['disc'] as Draw];
      const radius = size * between(random, 0.26, 0.38);
      const centre = (): number => size / 2 + between(random, -1, 1) * (size / 2 - radius) * 0.6;
      const picture = paint(shape(centre(), centre(), radius, random), size);
      return { input: degrade(picture, random, noise), label };
    },
  };
};

export const shapes16 = shapesTask(16, Object.keys(SHAPES), 0.1);

/** Fewer classes: on 64 pixels a triangle and a disc are the same blot. */
export const shapes8 = shapesTask(8, ['disc', 'ring', 'plus', 'saltire', 'bar'], 0.03);
