import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANGLE_LIMIT, CART_LIMIT } from '#engines/spiking/models/hybrid-rl.model.js';
import { JUNCTIONS, ROADS } from '#engines/spiking/models/road-network.js';
import { seededRandom } from '#engines/training/seeded-random.js';
import { episodeReturn, hasFallen, reset, step } from './cart-pole.js';
import { DIFFUSIVITY, temperature } from './heat.task.js';
import { fewShot } from './few-shot.task.js';
import { graphFamilies } from './graph-families.task.js';
import { randomRotation, transformed } from './solids.task.js';
import { nextLoads } from './traffic.task.js';

const sum = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);

describe('cart and pole', () => {
  const small = fc.double({ min: -1, max: 1, noNaN: true });

  it('behaves the same in a mirror', () => {
    fc.assert(
      fc.property(fc.tuple(small, small, small, small), ([x, xDot, angle, angleDot]) => {
        const right = step([x, xDot, angle, angleDot], 1);
        const mirrored = step([-x, -xDot, -angle, -angleDot], 0);
        right.forEach((value, index) => expect(mirrored[index]).toBeCloseTo(-value, 12));
      }),
    );
  });

  it('falls with gravity while the push leaves the angle to it', () => {
    const [, , , angleDot] = step([0, 0, 0.2, 0], 0);
    expect(angleDot).toBeGreaterThan(0);
  });

  it('ends outside its limits', () => {
    expect(hasFallen([CART_LIMIT, 0, ANGLE_LIMIT, 0])).toBe(false);
    expect(hasFallen([CART_LIMIT + 0.01, 0, 0, 0])).toBe(true);
    expect(hasFallen([0, 0, -ANGLE_LIMIT - 0.01, 0])).toBe(true);
  });

  it('gives a random policy the 22 points that Gymnasium gives it', () => {
    const random = seededRandom(9);
    const returns = Array.from({ length: 400 }, () =>
      episodeReturn(() => random.below(2), reset(random)),
    );
    expect(sum(returns) / returns.length).toBeGreaterThan(20);
    expect(sum(returns) / returns.length).toBeLessThan(24.5);
  });
});

describe('heat', () => {
  it('obeys the heat equation and is cold at the ends', () => {
    const h = 1e-3;
    const unit = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(unit, unit, (x, t) => {
        const overTime = (temperature(x, t + h) - temperature(x, t - h)) / (2 * h);
        const overSpace =
          (temperature(x + h, t) - 2 * temperature(x, t) + temperature(x - h, t)) / (h * h);
        expect(overTime).toBeCloseTo(DIFFUSIVITY * overSpace, 3);
        expect(temperature(0, t)).toBe(0);
        expect(temperature(1, t)).toBeCloseTo(0, 12);
      }),
    );
  });
});

describe('traffic', () => {
  it('has roads that lead both ways and none from a junction to itself', () => {
    for (let a = 0; a < JUNCTIONS; a += 1) {
      expect(ROADS[a * JUNCTIONS + a]).toBe(0);
      for (let b = 0; b < JUNCTIONS; b += 1) {
        expect(ROADS[a * JUNCTIONS + b]).toBe(ROADS[b * JUNCTIONS + a]);
      }
    }
    expect(sum(ROADS)).toBe(2 * (JUNCTIONS + 10));
  });

  it('keeps the load that neither enters nor leaves', () => {
    const loads = Array.from({ length: JUNCTIONS }, (_, node) => node / 10);
    const closed = { flow: 0.4, outflow: 0, inflow: loads.map(() => 0) };
    expect(sum(nextLoads(loads, closed))).toBeCloseTo(sum(loads), 12);
    expect(sum(nextLoads(loads, { ...closed, outflow: 0.25 }))).toBeCloseTo(0.75 * sum(loads), 12);
  });
});

describe('graph families', () => {
  const random = seededRandom(21);
  const examples = Array.from({ length: 300 }, () => graphFamilies.draw(random));
  const degreesOf = (name: string): number[][] =>
    examples
      .filter(({ label }) => graphFamilies.classes[label] === name)
      .map(({ input }) => {
        const ends = [...input].filter((node) => node >= 0);
        return [...new Set(ends)].map((node) => ends.filter((end) => end === node).length);
      });

  it('gives every node of a ring two edges', () => {
    expect(degreesOf('ring').length).toBeGreaterThan(20);
    for (const degrees of degreesOf('ring')) expect(new Set(degrees)).toEqual(new Set([2]));
  });

  it('gives a star one hub', () => {
    for (const degrees of degreesOf('star')) {
      expect(degrees.filter((degree) => degree > 1)).toEqual([degrees.length - 1]);
    }
  });

  it('gives no node of a grid more than four edges', () => {
    for (const degrees of degreesOf('grid')) expect(Math.max(...degrees)).toBeLessThanOrEqual(4);
  });
});

describe('solids', () => {
  it('are turned without a change of any distance or of their orientation', () => {
    const random = seededRandom(2);
    const points = Float32Array.from({ length: 9 }, () => random.normal());
    const rotation = randomRotation(random);
    const moved = transformed(points, rotation, [5, -3, 1]);
    const distance = (cloud: Float32Array, a: number, b: number): number =>
      Math.hypot(
        ...[0, 1, 2].map((axis) => (cloud[3 * a + axis] ?? 0) - (cloud[3 * b + axis] ?? 0)),
      );
    for (const [a, b] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      expect(distance(moved, a, b)).toBeCloseTo(distance(points, a, b), 5);
    }
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0] = rotation;
    expect(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)).toBeCloseTo(1, 12);
  });
});

describe('few-shot sectors', () => {
  it('are mostly those of the nearest example', () => {
    const random = seededRandom(4);
    const right = Array.from({ length: 400 }, () => fewShot.draw(random)).filter(
      ({ input, label }) => {
        const angles = [0, 1, 2, 3].map((at) =>
          Math.atan2(input[2 * at + 1] ?? 0, input[2 * at] ?? 0),
        );
        const closeness = angles.slice(0, 3).map((angle) => Math.cos(angle - (angles[3] ?? 0)));
        return closeness.indexOf(Math.max(...closeness)) === label;
      },
    );
    expect(right.length).toBeGreaterThan(380);
  });
});
