/** Waveforms whose period is long against a step: the state must carry them. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { between, type ClassificationTask } from './task.js';

const STEPS = 64;

/** One period as a function of the phase in [0, 1), and how the phase runs with time in [0, 1]. */
type Wave = (t: number) => number;

const fraction = (value: number): number => value - Math.floor(value);

const WAVES: Readonly<Record<string, (random: SeededRandom, cycles: number) => Wave>> = {
  sine: (random, cycles) => {
    const phase = random.next();
    return (t) => Math.sin(2 * Math.PI * (cycles * t + phase));
  },
  square: (random, cycles) => {
    const phase = random.next();
    return (t) => (fraction(cycles * t + phase) < 0.5 ? 0.8 : -0.8);
  },
  sawtooth: (random, cycles) => {
    const phase = random.next();
    return (t) => 1.3 * (2 * fraction(cycles * t + phase) - 1);
  },
  chirp: (random, cycles) => {
    const phase = random.next();
    return (t) => Math.sin(2 * Math.PI * (cycles * (0.4 * t + 1.4 * t * t) + phase));
  },
  'coloured-noise': (random) => {
    let level = 0;
    return () => {
      level = 0.85 * level + 0.5 * random.normal();
      return level;
    };
  },
};

const CLASSES = Object.values(WAVES);

export const waveforms: ClassificationTask = {
  name: 'waveforms',
  description:
    'Sixty-four samples of a signal of random frequency, phase and amplitude with Gaussian ' +
    'noise; the class is the kind of signal.',
  inputShape: [STEPS, 1],
  classes: Object.keys(WAVES),
  draw(random) {
    const label = random.below(CLASSES.length);
    const wave = CLASSES[label]?.(random, between(random, 2, 5));
    const amplitude = between(random, 0.7, 1.2);
    const input = Float32Array.from(
      { length: STEPS },
      (_, step) => amplitude * (wave?.(step / STEPS) ?? 0) + 0.15 * random.normal(),
    );
    return { input, label };
  },
};
