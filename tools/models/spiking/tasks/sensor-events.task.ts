/** Readings of a machine's sensors that announce what will happen next. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { between, type ClassificationTask } from './task.js';

const STEPS = 24;
const CHANNELS = 3;

/** Temperature, vibration and flow, as deviations in standard units; `t` in [0, 1]. */
type Precursor = (t: number) => readonly [number, number, number];

/** Each fault shows in the order of its signs, not in any single reading. */
const PRECURSORS: Readonly<Record<string, (random: SeededRandom) => Precursor>> = {
  'no-event': (random) => {
    const wander = between(random, -0.4, 0.4);
    return (t) => [wander * t, 0, -wander * t];
  },
  overheat: (random) => {
    const rise = between(random, 1.2, 2);
    return (t) => [rise * t * t, 0, -0.6 * t];
  },
  'bearing-failure': (random) => {
    const [growth, beat] = [between(random, 1, 1.8), between(random, 8, 12)];
    return (t) => [0.5 * t, growth * t * Math.sin(beat * t * Math.PI), 0];
  },
  blockage: (random) => {
    const onset = between(random, 0.3, 0.6);
    return (t) => (t < onset ? [0, 0, 0] : [0.8 * (t - onset), 0, -2 * (t - onset)]);
  },
  leak: (random) => {
    const onset = between(random, 0.2, 0.5);
    return (t) => (t < onset ? [0, 0.6 * t, 0.8 * t] : [0, 0, 0.8 * onset - 2 * (t - onset)]);
  },
};

const CLASSES = Object.entries(PRECURSORS);

export const sensorEvents: ClassificationTask = {
  name: 'sensor-sequences',
  description:
    'Twenty-four readings of temperature, vibration and flow in standard units with noise; the ' +
    'class is the event that follows.',
  inputShape: [STEPS, CHANNELS],
  classes: Object.keys(PRECURSORS),
  draw(random) {
    const label = random.below(CLASSES.length);
    const precursor = CLASSES[label]?.[1](random);
    const input = Float32Array.from({ length: STEPS * CHANNELS }, (_, index) => {
      const t = Math.floor(index / CHANNELS) / (STEPS - 1);
      return (precursor?.(t)[index % CHANNELS] ?? 0) + 0.2 * random.normal();
    });
    return { input, label };
  },
};
