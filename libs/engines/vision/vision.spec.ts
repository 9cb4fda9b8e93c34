import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { componentsOf } from './classical/components.js';
import { separationOf } from './classical/grey-frame.js';
import { overlapOf, suppress } from './detection/boxes.js';
import { lookAt } from './look-task.js';
import { MISSED_MAX, Tracker, TRACKS_MAX } from './tracking/tracker.js';
import { loadVisionModel } from './vision-model.js';
import { VisionEngine } from './vision.engine.js';
import { type Box, FRAME_SIDE, type VisionMode, type VisionTask } from './vision.protocol.js';

const MODELS = [path.resolve('models')];
const model = loadVisionModel(MODELS);

type Colour = readonly [number, number, number];
const [GREY, RED, WHITE]: readonly [Colour, Colour, Colour] = [
  [90, 90, 90],
  [220, 40, 40],
  [245, 245, 245],
];

interface Painting {
  readonly width?: number;
  readonly height?: number;
  /** A square of a side, by its left upper corner. */
  readonly square?: { readonly left: number; readonly top: number; readonly side: number };
  readonly colour?: Colour;
  readonly mode?: VisionMode;
  readonly background?: string | null;
  /** A checkerboard where no frame of the training has one. */
  readonly isStrange?: boolean;
}

const taskOf = (painting: Painting = {}): VisionTask => {
  const { width = FRAME_SIDE, height = FRAME_SIDE, colour = RED, square } = painting;
  const pixels = Buffer.alloc(3 * width * height);
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const { left, top, side } = square ?? { left: 0, top: 0, side: 0 };
    const isInside = x >= left && x < left + side && y >= top && y < top + side;
    pixels.set(isInside ? colour : GREY, 3 * at);
    const isBoard = painting.isStrange === true && x >= 40 && x < 72 && y >= 40 && y < 72;
    if (isBoard) pixels.set((x >> 2) % 2 === (y >> 2) % 2 ? WHITE : [10, 10, 10], 3 * at);
  }
  const { mode = 'detect', background = null } = painting;
  const asked = { confidence: 0.3, overlap: 0.5, background };
  return { mode, width, height, pixels: pixels.toString('base64'), ...asked };
};

describe('a look at a frame', () => {
  it('finds a red square and its place', () => {
    const { objects, anomaly, weightsSha256 } = lookAt(
      model,
      taskOf({ square: { left: 32, top: 64, side: 32 } }),
    );
    expect(objects).toMatchObject([{ label: 'square', category: 'shape', colour: 'red' }]);
    expect(overlapOf(objects[0]?.box ?? [0, 0, 0, 0], [0.25, 0.5, 0.5, 0.75])).toBeGreaterThan(0.7);
    expect(anomaly.error).toBeLessThan(anomaly.threshold);
    expect(weightsSha256).toBe(model.card.weightsSha256);
  });

  it('finds it in a frame that is not square, as shares of the frame', () => {
    const square = { left: 80, top: 16, side: 32 };
    const { objects } = lookAt(model, taskOf({ height: 64, square }));
    expect(objects).toMatchObject([{ label: 'square', colour: 'red' }]);
    const expected: Box = [80 / 128, 16 / 64, 112 / 128, 48 / 64];
    expect(overlapOf(objects[0]?.box ?? [0, 0, 0, 0], expected)).toBeGreaterThan(0.7);
  });

  it('finds nothing in an empty frame', () => {
    expect(lookAt(model, taskOf()).objects).toEqual([]);
  });

  it('reports a patch that usual frames do not have', () => {
    const { anomaly } = lookAt(model, taskOf({ isStrange: true }));
    expect(anomaly.error).toBeGreaterThan(anomaly.threshold);
  });

  it('measures regions that differ in brightness', () => {
    const square = { left: 16, top: 32, side: 48 };
    const { objects } = lookAt(model, taskOf({ mode: 'components', square, colour: WHITE }));
    expect(objects).toMatchObject([
      { label: 'component', category: 'region', colour: null, confidence: expect.closeTo(1, 1) },
    ]);
    const [{ box, contour } = { box: null, contour: null }] = objects;
    // The blur moves the edge of the threshold by less than a pixel.
    [16, 32, 64, 80].forEach((edge, at) => {
      expect(Math.abs(128 * (box?.[at] ?? 0) - edge)).toBeLessThanOrEqual(1);
    });
    expect(contour).toMatchObject({
      extent: expect.closeTo(1, 1),
      elongation: expect.closeTo(1, 1),
      centre: [expect.closeTo(40 / 128, 2), expect.closeTo(56 / 128, 2)],
    });
  });

  it('sees motion against the frames before', () => {
    const mode = 'motion' as const;
    const first = lookAt(model, taskOf({ mode }));
    expect(first.objects).toEqual([]);
    const square = { left: 20, top: 20, side: 24 };
    const moved = { mode, square, colour: WHITE, background: first.background };
    const second = lookAt(model, taskOf(moved));
    expect(second.objects).toMatchObject([{ label: 'moving', category: 'motion' }]);
    // Of another size: the frame is a background of its own.
    const other = lookAt(model, taskOf({ ...moved, width: 64 }));
    expect(other.objects).toEqual([]);
  });

  it('rejects pixels of another size', () => {
    const task = { ...taskOf(), width: FRAME_SIDE - 1 };
    expect(() => lookAt(model, task)).toThrow('a frame of 127x128');
  });
});

describe('the engine', () => {
  it('looks on a thread, and names a damaged model', async () => {
    const { signal } = new AbortController();
    const engine = new VisionEngine(MODELS);
    const lost = new VisionEngine([]);
    try {
      const end = await engine.run(taskOf({ square: { left: 40, top: 40, side: 40 } }), signal);
      expect(end.objects).toMatchObject([{ label: 'square' }]);
      await expect(lost.run(taskOf(), signal)).rejects.toMatchObject({ code: 'model_damaged' });
    } finally {
      await engine.close();
      await lost.close();
    }
  });
});

describe('boxes', () => {
  it('overlap by their shared area', () => {
    expect(overlapOf([0, 0, 2, 2], [1, 1, 3, 3])).toBeCloseTo(1 / 7);
    expect(overlapOf([0, 0, 1, 1], [1, 0, 2, 1])).toBe(0);
    expect(overlapOf([0, 0, 0, 0], [0, 0, 0, 0])).toBe(0);
  });

  it('that share too much lose to the more confident, within a number', () => {
    const found = [
      { box: [0, 0, 2, 2] as Box, confidence: 0.5 },
      { box: [0, 0, 2, 2.2] as Box, confidence: 0.9 },
      { box: [5, 5, 6, 6] as Box, confidence: 0.4 },
    ];
    expect(suppress(found, 0.5, 9).map(({ confidence }) => confidence)).toEqual([0.9, 0.4]);
    expect(suppress(found, 0.5, 1)).toHaveLength(1);
  });
});

describe('components', () => {
  it('touch at corners, and have moments', () => {
    const values = Uint8Array.from([1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1]);
    const found = componentsOf({ width: 4, height: 3, values });
    expect(found.map(({ area, left, right }) => [area, left, right])).toEqual([
      [2, 0, 2],
      [2, 3, 4],
    ]);
    expect(found[1]?.elongation).toBeCloseTo(2);
  });

  it('of one brightness are not separated', () => {
    const values = new Uint8Array(9).fill(7);
    expect(separationOf({ width: 3, height: 3, values })).toEqual({ threshold: 0, share: 0 });
  });
});

describe('tracks', () => {
  const at = (left: number, label = 'star') => ({
    label,
    box: [left, 0, left + 0.2, 0.2] as Box,
  });

  it('keep their numbers while objects move, cross and are hidden', () => {
    const tracker = new Tracker();
    expect(tracker.follow([at(0), at(0.8, 'ring')])).toEqual([1, 2]);
    expect(tracker.follow([at(0.76, 'ring'), at(0.05)])).toEqual([2, 1]);
    expect(tracker.follow([at(0.1)])).toEqual([1]);
    expect(tracker.follow([at(0.15), at(0.66, 'ring')])).toEqual([1, 2]);
    expect(tracker.follow([at(0.2, 'heart')])).toEqual([3]);
  });

  it('end when they were not seen for long', () => {
    const tracker = new Tracker();
    tracker.follow([at(0)]);
    for (let frame = 0; frame <= MISSED_MAX; frame += 1) tracker.follow([]);
    expect(tracker.tracks).toBe(0);
    expect(tracker.follow([at(0)])).toEqual([2]);
  });

  it('are bounded', () => {
    const tracker = new Tracker();
    const many = Array.from({ length: TRACKS_MAX + 1 }, (_, n) => at(n));
    expect(tracker.follow(many).filter((id) => id === null)).toHaveLength(1);
    expect(tracker.tracks).toBe(TRACKS_MAX);
  });
});
