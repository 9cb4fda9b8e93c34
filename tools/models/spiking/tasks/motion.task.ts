/** Moving bars and a circling dot, seen by an event camera. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { box, disc, paint, type Shape } from './canvas.js';
import { recordEvents } from './event-camera.js';
import { between, type ClassificationTask } from './task.js';

const SIZE = 16;
const FRAMES = 8;

/** The scene at time `t` in frames. */
type Scene = (t: number) => Shape;

const movingBar = (dx: number, dy: number, random: SeededRandom): Scene => {
  const speed = between(random, 1, 1.6);
  const start = between(random, -1, 3);
  const [along, thickness] = [between(random, 3, 7), between(random, 0.7, 1.3)];
  const across = between(random, 5, 11);
  return (t) => {
    const travelled = start + speed * t;
    const ahead = dx + dy > 0 ? travelled : SIZE - travelled;
    return dx === 0 ? box(across, ahead, along, thickness) : box(ahead, across, thickness, along);
  };
};

const circlingDot = (turn: number, random: SeededRandom): Scene => {
  const [cx, cy] = [between(random, 7, 9), between(random, 7, 9)];
  const [radius, size] = [between(random, 3.5, 5.5), between(random, 1, 1.6)];
  const phase = between(random, 0, 2 * Math.PI);
  const speed = turn * between(random, 0.35, 0.6);
  return (t) => {
    const angle = phase + speed * t;
    return disc(cx + radius * Math.cos(angle), cy + radius * Math.sin(angle), size);
  };
};

/** Pictures have y downwards, so a growing angle turns clockwise. */
const MOTIONS: Readonly<Record<string, (random: SeededRandom) => Scene>> = {
  'bar-right': (random) => movingBar(1, 0, random),
  'bar-left': (random) => movingBar(-1, 0, random),
  'bar-down': (random) => movingBar(0, 1, random),
  'bar-up': (random) => movingBar(0, -1, random),
  'dot-clockwise': (random) => circlingDot(1, random),
  'dot-counter-clockwise': (random) => circlingDot(-1, random),
};

const SCENES = Object.values(MOTIONS);

export const motion: ClassificationTask = {
  name: 'motion-events-16x16',
  description:
    'Eight binary event frames of 2x16x16 (rises, falls) from a camera that reports changes of ' +
    'log intensity, with spurious events; the class is the motion that caused them.',
  inputShape: [FRAMES, 2, SIZE, SIZE],
  classes: Object.keys(MOTIONS),
  draw(random) {
    const label = random.below(SCENES.length);
    const scene = SCENES[label]?.(random);
    const frames = Array.from({ length: FRAMES + 1 }, (_, t) =>
      scene === undefined ? new Float32Array(SIZE * SIZE) : paint(scene(t), SIZE),
    );
    const events = recordEvents(frames, { threshold: 0.4, noise: 0.005 }, random);
    const input = new Float32Array(FRAMES * 2 * SIZE * SIZE);
    events.forEach((frame, t) => input.set(frame, t * frame.length));
    return { input, label };
  },
};
