/** Fixed spike trains, jittered and corrupted: the classic task of a liquid state machine. */
import { seededRandom, type SeededRandom } from '#engines/training/seeded-random.js';
import type { ClassificationTask } from './task.js';

const STEPS = 32;
const CHANNELS = 12;
const CLASSES = 4;
const SPIKES_PER_CHANNEL = 3;
const TEMPLATE_SEED = 20_617;

/** Spike times of each channel, for each class. Part of the task, so their seed is fixed. */
const TEMPLATES: readonly (readonly (readonly number[])[])[] = (() => {
  const random = seededRandom(TEMPLATE_SEED);
  return Array.from({ length: CLASSES }, () =>
    Array.from({ length: CHANNELS }, () =>
      Array.from({ length: SPIKES_PER_CHANNEL }, () => random.below(STEPS)),
    ),
  );
})();

const jittered = (time: number, random: SeededRandom): number =>
  Math.min(STEPS - 1, Math.max(0, Math.round(time + 1.2 * random.normal())));

export const spikeTemplates: ClassificationTask = {
  name: 'spike-templates',
  description:
    'Thirty-two steps of twelve binary channels: one of four fixed templates with jittered, lost ' +
    'and spurious spikes; the class is the template.',
  inputShape: [STEPS, CHANNELS],
  classes: Array.from({ length: CLASSES }, (_, index) => `template-${index + 1}`),
  draw(random) {
    const label = random.below(CLASSES);
    const input = Float32Array.from({ length: STEPS * CHANNELS }, () =>
      random.next() < 0.02 ? 1 : 0,
    );
    TEMPLATES[label]?.forEach((times, channel) => {
      for (const time of times) {
        if (random.next() >= 0.1) input[jittered(time, random) * CHANNELS + channel] = 1;
      }
    });
    return { input, label };
  },
};
