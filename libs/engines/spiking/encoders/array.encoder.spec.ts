import { describe, expect, it } from '@jest/globals';
import { dvsConvnet } from '../models/dvs-convnet.model.js';
import { hybridCnn } from '../models/hybrid-cnn.model.js';
import { hybridGnn } from '../models/hybrid-gnn.model.js';
import { hybridRnn } from '../models/hybrid-rnn.model.js';
import { spatioTemporalGnn } from '../models/spatio-temporal-gnn.model.js';
import { type NestedNumbers } from '../model-card.js';
import { encodeArray, gridOf, NUMBERS_MAX } from './array.encoder.js';
import { resample } from './resample.js';

const square = (side: number, value: (row: number, column: number) => number): NestedNumbers =>
  Array.from({ length: side }, (_, row) =>
    Array.from({ length: side }, (_cell, column) => value(row, column)),
  );

describe('arrays', () => {
  it.each<[string, NestedNumbers, string]>([
    ['nothing', [], 'empty'],
    ['an empty list', [[]], 'empty'],
    ['lists of different lengths', [[1, 2], [3]], 'differ in length'],
    ['lists of different depths', [[1, 2], 3], 'differ in depth'],
    ['a number beside a list', [1, [2]], 'differ in depth'],
    ['what is not a number', [1, Number.NaN], 'not finite'],
    ['what 32 bits cannot hold', [1e39], 'not finite'],
    ['six levels', [[[[[[1]]]]]], 'nested 6 deep'],
    ['too many numbers', new Array<number>(NUMBERS_MAX + 1).fill(0), `over ${NUMBERS_MAX}`],
  ])('reject %s', (_, data, reason) => {
    expect(() => gridOf(data)).toThrow(reason);
  });

  it('are taken as they are in the native shape', () => {
    const { values, shape } = encodeArray(
      hybridCnn,
      square(16, (row, column) => row * 16 + column),
      8,
    );
    expect(shape).toEqual([1, 1, 16, 16, 1]);
    expect([...values]).toEqual(Array.from({ length: 256 }, (_, index) => index));
  });

  it('are resampled from another size', () => {
    const { values } = encodeArray(
      hybridCnn,
      square(31, (row) => row),
      8,
    );
    expect([0, 16, 240].map((place) => values[place])).toEqual([0, 2, 30]);
  });

  it('are brought to the timesteps of a sequence', () => {
    const readings = Array.from({ length: 24 }, (_, time) => [time, 2 * time, 0]);
    expect(encodeArray(hybridRnn, readings, 8).shape).toEqual([8, 1, 3, 3]);
    const half = encodeArray(hybridRnn, readings, 4);
    expect(half.shape).toEqual([4, 1, 3, 3]);
    expect([...half.values.slice(-3)]).toEqual([23, 46, 0]);
  });

  it('may be a list of frames where a timestep has one axis', () => {
    const frames = Array.from({ length: 8 }, (_, time) => new Array<number>(20).fill(time));
    const { values, shape } = encodeArray(spatioTemporalGnn, frames, 8);
    expect(shape).toEqual([8, 1, 20]);
    expect([...values]).toEqual(frames.flat());
    expect([...encodeArray(spatioTemporalGnn, frames.flat(), 8).values]).toEqual(frames.flat());
  });

  it('keep every event when a stream gets shorter', () => {
    const frames = Array.from({ length: 16 }, (_, time) => [
      square(16, (row, column) => (row === time && column === time ? 1 : 0)),
      square(16, () => 0),
    ]);
    const { values, code } = encodeArray(dvsConvnet, frames, 8);
    expect(code).toBe('binary');
    expect(values.filter((value) => value === 1)).toHaveLength(16);
  });

  it('must have the axes of the network', () => {
    expect(() =>
      encodeArray(
        hybridCnn,
        [
          [
            [1, 2],
            [3, 4],
          ],
          [
            [1, 2],
            [3, 4],
          ],
        ],
        8,
      ),
    ).toThrow('input_data has 3 axes, the model reads 2 (16 x 16)');
  });
});

describe('edges', () => {
  it('become rows of neighbours with self-loops and degrees', () => {
    const { values, shape } = encodeArray(
      hybridGnn,
      [
        [0, 1],
        [1, 2],
        [-1, -1],
      ],
      8,
    );
    expect(shape).toEqual([1, 1, 16, 24]);
    const ones = (node: number) =>
      [...values.slice(node * 24, (node + 1) * 24).entries()].flatMap(([at, value]) =>
        value === 1 ? [at] : [],
      );
    expect([0, 1, 2, 3].map(ones)).toEqual([[0, 1, 16 + 1], [0, 1, 2, 16 + 2], [1, 2, 16 + 1], []]);
  });

  it.each([[[[0, 16]]], [[[0.5, 1]]], [[[-1, 3]]]])('reject %j', (edges) => {
    expect(() => encodeArray(hybridGnn, edges, 8)).toThrow('whole, from 0 to 15');
  });

  it('are pairs', () => {
    expect(() => encodeArray(hybridGnn, [[0, 1, 2]], 8)).toThrow('each two node numbers');
  });
});

describe('resample', () => {
  it('interpolates numbers and bins spikes', () => {
    const line = { shape: [5], values: Float32Array.of(0, 1, 0, 0, 4) };
    expect([...resample(line, [3], false)]).toEqual([0, 0, 4]);
    expect([...resample(line, [9], false)]).toEqual([0, 0.5, 1, 0.5, 0, 0, 0, 2, 4]);
    expect([...resample(line, [2], true)]).toEqual([1, 1]);
    expect([...resample(line, [1], true)]).toEqual([1]);
  });
});
