/** PyTorch and OpenCV against the engine: the same outputs, components and suppressed boxes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { componentsOf } from '#engines/vision/classical/components.js';
import { blurred, greyOf, separationOf } from '#engines/vision/classical/grey-frame.js';
import { suppress } from '#engines/vision/detection/boxes.js';
import { OUTPUTS } from '#engines/vision/network/detector.js';
import { loadVisionModel } from '#engines/vision/vision-model.js';
import { type Box } from '#engines/vision/vision.protocol.js';

interface Recorded {
  readonly weightsSha256: string;
  readonly detector: readonly {
    readonly pixels: string;
    readonly cells: readonly number[];
    readonly errors: readonly number[];
  }[];
  readonly classical: readonly {
    readonly width: number;
    readonly height: number;
    readonly pixels: string;
    readonly grey: string;
    readonly blurred: string;
    readonly threshold: number;
    readonly mask: string;
    readonly components: readonly (readonly number[])[];
  }[];
  readonly suppression: readonly {
    readonly boxes: readonly (readonly [number, number, number, number])[];
    readonly scores: readonly number[];
    readonly overlap: number;
    readonly kept: readonly number[];
  }[];
}

const recorded = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'vision/vectors.json'), 'utf8'),
) as Recorded;
const { card, detector, patches } = loadVisionModel([path.resolve('models')]);
const DIFFERENCE_MAX = 1e-4;
/** Every fifth cell is recorded. */
const CELL_STEP = 5;

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

const mostApart = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  expect(one.length).toBe(other.length);
  return Math.max(...Array.from(one, (value, at) => Math.abs(value - (other[at] ?? NaN))));
};

describe('PyTorch', () => {
  it('had the weights that ship', () => {
    expect(recorded.weightsSha256).toBe(card.weightsSha256);
  });

  it.each(recorded.detector)('has the outputs and patch errors of frame %#', (frame) => {
    const pixels = Float32Array.from(bytesOf(frame.pixels), (value) => value / 255);
    const outputs = detector.run(pixels);
    const cells = outputs.filter((_, at) => Math.floor(at / OUTPUTS) % CELL_STEP === 0);
    expect(mostApart(cells, frame.cells)).toBeLessThan(DIFFERENCE_MAX);
    expect(mostApart(patches.of(pixels), frame.errors)).toBeLessThan(1e-6);
  });
});

describe('OpenCV', () => {
  it.each(recorded.classical)('sees frame %# as the engine does', (frame) => {
    const { width, height } = frame;
    const grey = greyOf(bytesOf(frame.pixels), width, height);
    // OpenCV rounds in fixed point.
    expect(mostApart(grey.values, bytesOf(frame.grey))).toBeLessThanOrEqual(1);
    const theirs = { width, height, values: new Uint8Array(bytesOf(frame.grey)) };
    expect(mostApart(blurred(theirs).values, bytesOf(frame.blurred))).toBeLessThanOrEqual(1);
    // Thresholds between two used values separate the same pixels.
    const { threshold } = separationOf(theirs);
    const mask = theirs.values.map((value) => (value > threshold ? 1 : 0));
    expect(mostApart(mask, bytesOf(frame.mask))).toBe(0);
    const found = componentsOf({ width, height, values: mask }).map((one) => [
      one.left,
      one.top,
      one.right - one.left,
      one.bottom - one.top,
      one.area,
      ...one.centre.map((value) => Number(value.toFixed(6))),
    ]);
    expect(found.toSorted(byNumbers)).toEqual(frame.components.toSorted(byNumbers));
  });

  it.each(recorded.suppression)('keeps the boxes of case %# at IoU $overlap', (asked) => {
    const boxes = asked.boxes.map(([left, top, width, height], at) => ({
      at,
      box: [left, top, left + width, top + height] satisfies Box,
      confidence: asked.scores[at] ?? 0,
    }));
    expect(suppress(boxes, asked.overlap, boxes.length).map(({ at }) => at)).toEqual(asked.kept);
  });
});

const byNumbers = (one: readonly number[], other: readonly number[]): number => {
  const at = one.findIndex((value, index) => value !== other[index]);
  return (one[at] ?? 0) - (other[at] ?? 0);
};
