import { describe, expect, it } from '@jest/globals';
import { GLYPHS } from '#engines/spiking/models/glyph-patterns.js';
import { seededRandom } from '#engines/training/seeded-random.js';
import { box, disc, outline, paint, polygon } from './canvas.js';
import { recordEvents } from './event-camera.js';
import { motion } from './motion.task.js';

const sum = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);

describe('canvas', () => {
  it.each([
    ['a disc', disc(16, 16, 9), Math.PI * 81],
    ['a ring', outline(disc(16, 16, 9), 2), Math.PI * (121 - 49)],
    ['a box', box(16, 16, 5, 7), 140],
    ['a hexagon', polygon(16, 16, 10, 6, 0.3), 1.5 * Math.sqrt(3) * 100],
  ])('covers the area of %s to 2 %%', (_name, shape, area) => {
    const covered = sum(paint(shape, 32));
    expect(Math.abs(covered / area - 1)).toBeLessThan(0.02);
  });
});

describe('event camera', () => {
  const frames = [0.2, 0.2, 0.4, 0.1].map((value) => Float32Array.of(value, 0.5));
  const record = (threshold: number, noise = 0): number[][] =>
    recordEvents(frames, { threshold, noise }, seededRandom(1)).map((frame) => [...frame]);

  it('reports rises first and falls second, and nothing that stays', () => {
    expect(record(0.3)).toEqual([
      [0, 0, 0, 0],
      [1, 0, 0, 0],
      [0, 0, 1, 0],
    ]);
  });

  it('reports no change of log intensity below the threshold', () => {
    // log(0.45 / 0.25) = 0.588 and log(0.45 / 0.15) = 1.099; from 0.2 to 0.1 it is 0.511.
    expect(record(0.6).map(sum)).toEqual([0, 0, 0]);
    expect(record(0.58).map(sum)).toEqual([0, 1, 1]);
  });

  it('adds events without a cause', () => {
    expect(record(9, 1).map(sum)).toEqual([4, 4, 4]);
  });
});

describe('motion', () => {
  it('moves rises to the right for a bar that moves right, to the left for the other', () => {
    const random = seededRandom(5);
    const drift = { 'bar-right': [] as number[], 'bar-left': [] as number[] };
    for (let drawn = 0; drawn < 120; drawn += 1) {
      const { input, label } = motion.draw(random);
      const meanX = (t: number): number => {
        const rises = input.subarray(t * 512, t * 512 + 256);
        return sum(rises.map((event, pixel) => event * (pixel % 16))) / Math.max(1, sum(rises));
      };
      const name = motion.classes[label];
      if (name === 'bar-right' || name === 'bar-left') drift[name].push(meanX(5) - meanX(2));
    }
    expect(drift['bar-right'].length).toBeGreaterThan(5);
    expect(sum(drift['bar-right']) / drift['bar-right'].length).toBeGreaterThan(1.5);
    expect(sum(drift['bar-left']) / drift['bar-left'].length).toBeLessThan(-1.5);
  });
});

describe('glyphs', () => {
  it('differ from each other in at least twelve pixels', () => {
    const distances = GLYPHS.flatMap((a, index) =>
      GLYPHS.slice(index + 1).map((b) => sum(a.map((pixel, at) => (pixel === b[at] ? 0 : 1)))),
    );
    expect(distances).toHaveLength(28);
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(12);
  });
});
