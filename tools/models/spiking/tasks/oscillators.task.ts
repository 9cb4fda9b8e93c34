/** Signals sampled at irregular times: only the gaps tell a slow one from a fast one. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { between, type ClassificationTask } from './task.js';

const SAMPLES = 20;

type Signal = (t: number) => number;

const SIGNALS: Readonly<Record<string, (random: SeededRandom) => Signal>> = {
  'slow-oscillation': (random) => {
    const [speed, phase] = [between(random, 0.5, 0.8), between(random, 0, 2 * Math.PI)];
    return (t) => Math.sin(speed * t + phase);
  },
  'fast-oscillation': (random) => {
    const [speed, phase] = [between(random, 1.5, 2.2), between(random, 0, 2 * Math.PI)];
    return (t) => Math.sin(speed * t + phase);
  },
  'damped-oscillation': (random) => {
    const [speed, phase] = [between(random, 0.8, 1.6), between(random, 0, 2 * Math.PI)];
    const damping = between(random, 0.25, 0.4);
    return (t) => 1.5 * Math.exp(-damping * t) * Math.sin(speed * t + phase);
  },
  relaxation: (random) => {
    const [rate, level] = [between(random, 0.15, 0.5), random.pick([-1, 1])];
    return (t) => level * (1 - 2 * Math.exp(-rate * t));
  },
};

const CLASSES = Object.values(SIGNALS);

export const oscillators: ClassificationTask = {
  name: 'irregular-oscillators',
  description:
    'Twenty samples (value, time since the sample before) of a signal at irregular times, with ' +
    'noise; the class is the kind of signal.',
  inputShape: [SAMPLES, 2],
  classes: Object.keys(SIGNALS),
  draw(random) {
    const label = random.below(CLASSES.length);
    const signal = CLASSES[label]?.(random);
    // The mean gap varies too, so that the number of turning points alone gives little away.
    const pace = between(random, 0.35, 0.9);
    const input = new Float32Array(SAMPLES * 2);
    let t = 0;
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const gap = pace * between(random, 0.2, 1.8);
      t += gap;
      input.set([(signal?.(t) ?? 0) + 0.08 * random.normal(), gap], 2 * sample);
    }
    return { input, label };
  },
};
