import { resample } from './resample.js';
import { type Architecture } from '../model.js';
import { sizeOf, tensorOf, type DataTensor } from '../operations/tensor.js';
import {
  SLICE_DIMENSIONS,
  TRIGRAM_DIMENSIONS,
  trigramSlices,
  trigramVector,
} from './text.encoder.js';

/** Trigram vectors have length 1; this brings their elements to the size of pixels. */
const TRIGRAM_SCALE = 4;

/** A text as the network reads it, for a batch of one. */
export const encodeText = (architecture: Architecture, text: string, steps: number): DataTensor => {
  if (architecture.encodeText) return architecture.encodeText(text, steps);
  if (architecture.input.kind === 'sequence') {
    return tensorOf(trigramSlices(text, steps), [steps, 1, SLICE_DIMENSIONS], 'binary');
  }
  const scaled = trigramVector(text).map((value) => value * TRIGRAM_SCALE);
  return tensorOf(scaled, [1, 1, TRIGRAM_DIMENSIONS]);
};

/** Row-major values of the native shape, brought to `steps` timesteps, for a batch of one. */
export const encodeNative = (
  { input }: Architecture,
  values: Float32Array,
  steps: number,
): DataTensor => {
  const { shape, kind, code } = input;
  if (kind === 'static') return tensorOf(values, [1, 1, ...shape], code);
  const [samples = 1, ...channels] = shape;
  const length = values.length / sizeOf(channels);
  const target = [steps * samples, ...channels];
  const resampled = resample({ shape: [length, ...channels], values }, target, code === 'binary');
  return tensorOf(resampled, [steps, 1, ...shape], code);
};
