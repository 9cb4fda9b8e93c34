import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { convolutionTargets } from './charges.js';
import {
  denseConvolution,
  eventConvolution,
  outputLength,
  type ConvolutionShape,
} from './convolution.kernels.js';
import { denseRow, eventRow } from './dense.kernels.js';
import { tensorOf } from './tensor.js';

const shapes = fc.record({
  height: fc.integer({ min: 1, max: 6 }),
  width: fc.integer({ min: 1, max: 6 }),
  channels: fc.integer({ min: 1, max: 3 }),
  kernel: fc.constantFrom(1, 3, 5),
  stride: fc.integer({ min: 1, max: 3 }),
  out: fc.integer({ min: 1, max: 4 }),
});

/** Spikes, now and then two of them, from a seed. */
const spikes = (length: number, seed: number): Float32Array =>
  Float32Array.from(
    { length },
    (_, index) => [0, 0, 1, 0, 1, 2, 0][(index * seed + seed) % 7] ?? 0,
  );

const weights = (length: number): Float32Array =>
  Float32Array.from({ length }, (_, index) => Math.sin(index + 1));

/** Each output by its definition: a sum over the places of the kernel within the picture. */
const byDefinition = (
  x: Float32Array,
  weight: Float32Array,
  { height, width, channels, kernel, stride, out }: ConvolutionShape,
): { readonly y: number[]; readonly events: number } => {
  const half = (kernel - 1) / 2;
  const y: number[] = [];
  let events = 0;
  for (let i = 0; i < outputLength(height, stride); i += 1) {
    for (let j = 0; j < outputLength(width, stride); j += 1) {
      for (let o = 0; o < out; o += 1) {
        let sum = 0;
        for (let a = 0; a < kernel; a += 1) {
          for (let b = 0; b < kernel; b += 1) {
            const [row, column] = [i * stride - half + a, j * stride - half + b];
            if (row < 0 || row >= height || column < 0 || column >= width) continue;
            for (let c = 0; c < channels; c += 1) {
              const value = x[(row * width + column) * channels + c] ?? 0;
              sum += value * (weight[((a * kernel + b) * channels + c) * out + o] ?? 0);
              events += value;
            }
          }
        }
        y.push(sum);
      }
    }
  }
  return { y, events };
};

describe('convolution', () => {
  it('is its definition, and each spike counts once for each target within bounds', () => {
    fc.assert(
      fc.property(shapes, fc.nat(100), (shape, seed) => {
        const { height, width, channels, kernel, stride, out } = shape;
        const x = spikes(height * width * channels, seed);
        const weight = weights(kernel * kernel * channels * out);
        const expected = byDefinition(x, weight, shape);
        const y = new Float64Array(
          outputLength(height, stride) * outputLength(width, stride) * out,
        );
        denseConvolution(x, weight, y, shape);
        for (const [index, value] of y.entries())
          expect(value).toBeCloseTo(expected.y[index] ?? NaN);
        const tensor = tensorOf(x, [1, 1, height, width, channels], 'integer');
        expect(convolutionTargets(tensor, shape).events).toBe(expected.events);
      }),
    );
  });

  it('gives the same bits dense and event-driven', () => {
    fc.assert(
      fc.property(shapes, fc.nat(100), (shape, seed) => {
        const { height, width, channels, kernel, stride, out } = shape;
        const x = spikes(height * width * channels, seed);
        const weight = weights(kernel * kernel * channels * out);
        const size = outputLength(height, stride) * outputLength(width, stride) * out;
        const [dense, driven] = [
          new Float64Array(size).fill(0.3),
          new Float64Array(size).fill(0.3),
        ];
        denseConvolution(x, weight, dense, shape);
        eventConvolution(x, weight, driven, shape);
        expect(driven).toEqual(dense);
      }),
    );
  });
});

describe('row product', () => {
  it('gives the same bits dense and event-driven', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 23 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(100),
        (n, m, seed) => {
          const x = spikes(n, seed);
          const weight = weights(n * m);
          const [dense, driven] = [new Float64Array(m).fill(-0.7), new Float64Array(m).fill(-0.7)];
          denseRow(x, weight, dense);
          eventRow(x, weight, driven);
          expect(driven).toEqual(dense);
          const expected = [...dense.keys()].map((column) =>
            x.reduce((sum, value, row) => sum + value * (weight[row * m + column] ?? 0), -0.7),
          );
          for (const [column, value] of dense.entries()) {
            expect(value).toBeCloseTo(expected[column] ?? NaN, 9);
          }
        },
      ),
    );
  });
});
