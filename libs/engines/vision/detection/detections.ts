import { ATTRIBUTES } from '../../image-diffusion/scene.js';
import { CELL, CELLS, COLOURS, DETECTOR_SIDE, OUTPUTS, SHAPES } from '../network/detector.js';
import { type Box, OBJECTS_MAX, type SeenObject } from '../vision.protocol.js';
import { suppress } from './boxes.js';

/** The area of the network's input that is the frame; the rest continues its edges. */
export interface Live {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The largest size that counts: its exponential stays finite. */
const SIZE_LOG_MAX = Math.log(CELLS);

const sigmoid = (score: number): number => 1 / (1 + Math.exp(-score));

const clamp = (value: number): number => Math.max(0, Math.min(1, value));

const strongest = (scores: Float32Array): number => scores.indexOf(Math.max(...scores));

/** Objects of the outputs of the network, without doubles. @param outputs of `Detector.run` */
export const detectionsOf = (
  outputs: Float32Array,
  live: Live,
  { confidence, overlap }: { readonly confidence: number; readonly overlap: number },
): SeenObject[] => {
  const found: SeenObject[] = [];
  for (let cell = 0; cell < CELLS * CELLS; cell += 1) {
    const scores = outputs.subarray(cell * OUTPUTS, (cell + 1) * OUTPUTS);
    const shape = strongest(scores.subarray(0, SHAPES));
    const heat = sigmoid(scores[shape] ?? 0);
    const label = ATTRIBUTES.shape[shape];
    if (heat < confidence || !label) continue;
    const box = boxOf(scores.subarray(SHAPES + COLOURS), cell, live);
    if (!box) continue;
    const colour = ATTRIBUTES.colour[strongest(scores.subarray(SHAPES, SHAPES + COLOURS))] ?? null;
    found.push({ label, category: 'shape', colour, confidence: heat, box, contour: null });
  }
  return suppress(found, overlap, OBJECTS_MAX);
};

/** As shares of the frame; null for a centre outside of it. */
const boxOf = (
  [dx = 0, dy = 0, widthLog = 0, heightLog = 0]: Float32Array,
  cell: number,
  { left, top, width, height }: Live,
): Box | null => {
  const x = ((cell % CELLS) + dx) * CELL;
  const y = (Math.floor(cell / CELLS) + dy) * CELL;
  if (x < left || x > left + width || y < top || y > top + height) return null;
  const [across, down] = [widthLog, heightLog].map(
    (log) => (Math.exp(Math.min(log, SIZE_LOG_MAX)) * CELL) / 2,
  ) as [number, number];
  return [
    clamp((x - across - left) / width),
    clamp((y - down - top) / height),
    clamp((x + across - left) / width),
    clamp((y + down - top) / height),
  ];
};

/** A square frame: all of the input. */
export const WHOLE: Live = { left: 0, top: 0, width: DETECTOR_SIDE, height: DETECTOR_SIDE };
