/**
 * An event camera. A pixel emits an event of polarity + or - whenever the logarithm of its
 * intensity has moved by a threshold since its last event, as a dynamic vision sensor does.
 */
import type { SeededRandom } from '#engines/training/seeded-random.js';

export interface CameraOptions {
  /** Change of log intensity that makes an event. */
  readonly threshold: number;
  /** Probability of an event without a cause, per pixel, polarity and frame. */
  readonly noise: number;
}

/** Intensity below which a pixel is dark; keeps the logarithm finite. */
const FLOOR = 0.05;

/**
 * Frames of intensities in [0, 1], all of one size, to binary event frames: rises, then falls, of
 * every pixel. The first frame only sets the reference: there is one event frame less than frames.
 */
export const recordEvents = (
  frames: readonly Float32Array[],
  { threshold, noise }: CameraOptions,
  random: SeededRandom,
): readonly Float32Array[] => {
  const [first, ...rest] = frames.map((frame) => frame.map((value) => Math.log(value + FLOOR)));
  if (first === undefined) return [];
  const reference = first.slice();
  return rest.map((frame) => {
    const events = new Float32Array(2 * frame.length);
    frame.forEach((value, pixel) => {
      const change = value - (reference[pixel] ?? value);
      if (Math.abs(change) >= threshold) {
        events[change > 0 ? pixel : frame.length + pixel] = 1;
        // A frame holds one event per polarity: the reference follows the pixel all the way.
        reference[pixel] = value;
      }
    });
    return events.map((event) => (random.next() < noise ? 1 : event));
  });
};
