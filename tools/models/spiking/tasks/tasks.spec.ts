import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '#engines/training/seeded-random.js';
import { drawMany } from './task.js';
import { TASKS } from './tasks.js';

const DRAWN = 150;

describe.each(TASKS.map((task) => [task.name, task] as const))('%s', (_name, task) => {
  const examples = drawMany(task, seededRandom(11), DRAWN);

  it('fills its input shape with finite values', () => {
    const size = task.inputShape.reduce((product, length) => product * length, 1);
    expect(examples.filter(({ input }) => input.length !== size)).toEqual([]);
    expect(examples.filter(({ input }) => !input.every(Number.isFinite))).toEqual([]);
  });

  it('draws every class about equally often', () => {
    const drawn = task.classes.map((_, label) => examples.filter((one) => one.label === label));
    expect(drawn.flat()).toHaveLength(DRAWN);
    for (const { length } of drawn) {
      expect(Math.abs(length - DRAWN / task.classes.length)).toBeLessThan(30);
    }
  });

  it('is the same for the same seed only', () => {
    expect(drawMany(task, seededRandom(3), 5)).toEqual(drawMany(task, seededRandom(3), 5));
    expect(drawMany(task, seededRandom(3), 5)).not.toEqual(drawMany(task, seededRandom(4), 5));
  });

  it('repeats no input', () => {
    expect(new Set(examples.map(({ input }) => input.join())).size).toBeGreaterThan(DRAWN * 0.95);
  });
});

it('names every task once', () => {
  expect(new Set(TASKS.map(({ name }) => name)).size).toBe(TASKS.length);
});
