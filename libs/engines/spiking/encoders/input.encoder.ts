import { resample } from './resample.js';
import { type Architecture, type Head } from '../model.js';
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
export const encodeText = ({ input }: Architecture, text: string, steps: number): DataTensor =>
  input.kind === 'sequence'
    ? tensorOf(trigramSlices(text, steps), [steps, 1, SLICE_DIMENSIONS], 'binary')
    : tensorOf(
        trigramVector(text).map((value) => value * TRIGRAM_SCALE),
        [1, 1, TRIGRAM_DIMENSIONS],
      );

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

/** The shape of one element of a batch on a head, without time and batch. */
export const elementShape = ({ input }: Architecture, head: Head): readonly number[] => {
  if (head === 'native') return input.shape;
  return [input.kind === 'sequence' ? SLICE_DIMENSIONS : TRIGRAM_DIMENSIONS];
};
