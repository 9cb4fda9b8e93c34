import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Deadline, Deadlines } from './deadlines.js';

const STEP_MS = 100;

class Called extends Deadline {
  constructor(override readonly onPassed: () => void) {
    super();
  }
}

describe('deadlines', () => {
  let deadlines: Deadlines;
  let passed: string[];

  const setTo = (of: Deadlines, inMs: number, onPassed: () => void): Deadline => {
    const deadline = new Called(onPassed);
    of.set(deadline, inMs);
    return deadline;
  };
  const set = (inMs: number, name = 'it') => setTo(deadlines, inMs, () => void passed.push(name));

  beforeEach(() => {
    jest.useFakeTimers();
    deadlines = new Deadlines(STEP_MS);
    passed = [];
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('pass once, never early and at most a step late', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(1_000), (waitedMs, inMs) => {
        passed = [];
        jest.advanceTimersByTime(waitedMs);
        set(inMs);
        if (inMs > 0) jest.advanceTimersByTime(inMs - 1);
        expect(passed).toEqual([]);
        jest.advanceTimersByTime(STEP_MS + 1);
        expect(passed).toEqual(['it']);
        jest.advanceTimersByTime(2 * STEP_MS);
        expect(passed).toEqual(['it']);
      }),
    );
  });

  it('share the timer of their step', () => {
    for (let n = 0; n < 50; n += 1) set(1_000);
    expect(jest.getTimerCount()).toBe(1);
    set(2_000);
    expect(jest.getTimerCount()).toBe(2);
  });

  it('that are cancelled do not pass, and leave the others', () => {
    const one = set(1_000, 'one');
    set(1_000, 'other');
    deadlines.cancel(one);
    jest.advanceTimersByTime(1_100);
    expect(passed).toEqual(['other']);
  });

  it('leave no timer once all of a step are cancelled, and may be set again', () => {
    const one = set(1_000, 'one');
    deadlines.cancel(one);
    expect(jest.getTimerCount()).toBe(0);
    const next = set(1_000, 'next');
    deadlines.cancel(one);
    deadlines.cancel(one);
    jest.advanceTimersByTime(1_100);
    expect(passed).toEqual(['next']);
    deadlines.cancel(next);
  });

  it('may be set and cancelled while others pass', () => {
    const later = set(1_000, 'later');
    const first = new Deadlines(STEP_MS);
    setTo(first, 100, () => {
      deadlines.cancel(later);
      setTo(first, 100, () => void passed.push('second'));
    });
    jest.advanceTimersByTime(1_100);
    expect(passed).toEqual(['second']);
  });

  it('that are cancelled by another of their step do not pass', () => {
    const other = set(100, 'other');
    setTo(deadlines, 100, () => deadlines.cancel(other));
    jest.advanceTimersByTime(1_100);
    expect(passed).toEqual([]);
  });

  it('are open until they have passed or were cancelled', () => {
    const all = [set(1_000), set(2_000), set(2_000)];
    const [, , last] = all;
    const areOpen = () => all.map((deadline) => deadlines.open().includes(deadline));
    expect(areOpen()).toEqual([true, true, true]);
    if (last) deadlines.cancel(last);
    jest.advanceTimersByTime(1_100);
    expect(areOpen()).toEqual([false, true, false]);
  });
});
