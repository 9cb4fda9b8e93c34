/** Spectra of materials: peaks at known places over a sloping background. */
import { between, type ClassificationTask } from './task.js';

const BINS = 32;

/** Centre and relative height of each peak, in bins. Neighbouring materials share peaks. */
const PEAKS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  quartz: [
    [6, 1],
    [14, 0.5],
  ],
  calcite: [
    [6, 0.5],
    [14, 1],
  ],
  gypsum: [
    [9, 1],
    [24, 0.6],
  ],
  halite: [
    [9, 0.6],
    [24, 1],
  ],
  pyrite: [
    [6, 0.7],
    [19, 0.8],
    [24, 0.5],
  ],
  hematite: [
    [14, 0.6],
    [19, 0.9],
  ],
};

const CLASSES = Object.values(PEAKS);

export const spectra: ClassificationTask = {
  name: 'spectra',
  description:
    'Thirty-two bins of a spectrum with two or three peaks over a sloping background, with noise ' +
    'and a random shift; the class is the material. The peaks are made up and resemble no mineral.',
  inputShape: [BINS],
  classes: Object.keys(PEAKS),
  draw(random) {
    const label = random.below(CLASSES.length);
    const [shift, width, slope] = [
      between(random, -0.8, 0.8),
      between(random, 0.9, 1.6),
      between(random, -0.3, 0.3),
    ];
    const peaks = (CLASSES[label] ?? []).map(
      ([centre, height]) => [centre + shift, height * between(random, 0.75, 1.25)] as const,
    );
    const input = Float32Array.from({ length: BINS }, (_, bin) => {
      const lines = peaks.reduce(
        (sum, [centre, height]) => sum + height * Math.exp(-0.5 * ((bin - centre) / width) ** 2),
        0,
      );
      return lines + 0.2 + slope * (bin / BINS - 0.5) + 0.06 * random.normal();
    });
    return { input, label };
  },
};
