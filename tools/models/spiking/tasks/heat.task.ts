/** The heat equation on a rod, and readings of sensors on it that may disagree with it. */
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { between, type ClassificationTask } from './task.js';

/** u_t = DIFFUSIVITY u_xx on x in [0, 1], t in [0, 1], u = 0 at both ends. */
export const DIFFUSIVITY = 0.05;

/** Amplitudes of sin(pi x), sin(2 pi x), sin(3 pi x) at t = 0. */
export const INITIAL_MODES: readonly number[] = [1, 0, 0.5];

export const initialTemperature = (x: number): number => temperature(x, 0);

/** The exact solution: every mode decays at its own rate. */
export const temperature = (x: number, t: number): number =>
  INITIAL_MODES.reduce((sum, amplitude, index) => {
    const wave = (index + 1) * Math.PI;
    return sum + amplitude * Math.exp(-DIFFUSIVITY * wave * wave * t) * Math.sin(wave * x);
  }, 0);

const READINGS = 16;

/** What is added to the temperature at (x, t). */
type Disturbance = (x: number, t: number) => number;

const DISTURBANCES: Readonly<Record<string, (random: SeededRandom) => Disturbance>> = {
  consistent: () => () => 0,
  'heat-source': (random) => {
    const strength = between(random, 0.3, 0.7);
    return (_x, t) => strength * (0.4 + 0.6 * t);
  },
  'heat-sink': (random) => {
    const strength = between(random, 0.3, 0.7);
    return (_x, t) => -strength * (0.4 + 0.6 * t);
  },
  'faulty-sensors': (random) => {
    const spread = between(random, 0.35, 0.7);
    return () => spread * random.pick([-1, 1]);
  },
};

const CLASSES = Object.values(DISTURBANCES);

export const heatReadings: ClassificationTask = {
  name: 'heat-readings',
  description:
    'Sixteen readings (x, t, u) of a rod that obeys the heat equation: place and time in [0, 1] ' +
    'and the temperature with noise; the class says whether and how the readings depart from it.',
  inputShape: [READINGS, 3],
  classes: Object.keys(DISTURBANCES),
  draw(random) {
    const label = random.below(CLASSES.length);
    const disturbance = CLASSES[label]?.(random);
    const input = new Float32Array(READINGS * 3);
    for (let reading = 0; reading < READINGS; reading += 1) {
      const [x, t] = [random.next(), random.next()];
      const u = temperature(x, t) + (disturbance?.(x, t) ?? 0) + 0.05 * random.normal();
      input.set([x, t, u], 3 * reading);
    }
    return { input, label };
  },
};
