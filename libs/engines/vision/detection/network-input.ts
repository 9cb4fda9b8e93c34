import { DETECTOR_SIDE } from '../network/detector.js';
import { FRAME_SIDE } from '../vision.protocol.js';
import { type Live } from './detections.js';

const COLOURS = 3;
/** Pixels of a frame, of a side, that are one pixel of the input. */
const REDUCED = FRAME_SIDE / DETECTOR_SIDE;

/**
 * A frame as the networks take it: in the middle of a square whose other pixels continue its edges,
 * and each two by two pixels as their mean. Values are between 0 and 1.
 */
export const inputOf = (
  pixels: Uint8Array,
  width: number,
  height: number,
): { readonly input: Float32Array; readonly live: Live } => {
  const [left, top] = [marginOf(width), marginOf(height)];
  const input = new Float32Array(DETECTOR_SIDE * DETECTOR_SIDE * COLOURS);
  const inside = (at: number, size: number): number => Math.max(0, Math.min(size - 1, at));
  for (let y = 0; y < FRAME_SIDE; y += 1) {
    const row = inside(y - top, height) * width;
    for (let x = 0; x < FRAME_SIDE; x += 1) {
      const from = (row + inside(x - left, width)) * COLOURS;
      const to = (Math.floor(y / REDUCED) * DETECTOR_SIDE + Math.floor(x / REDUCED)) * COLOURS;
      for (let colour = 0; colour < COLOURS; colour += 1) {
        const part = (pixels[from + colour] ?? 0) / (255 * REDUCED * REDUCED);
        input[to + colour] = (input[to + colour] ?? 0) + part;
      }
    }
  }
  const live = {
    left: left / REDUCED,
    top: top / REDUCED,
    width: width / REDUCED,
    height: height / REDUCED,
  };
  return { input, live };
};

const marginOf = (size: number): number => Math.floor((FRAME_SIDE - size) / 2);
