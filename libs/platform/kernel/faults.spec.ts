import { describe, expect, it } from '@jest/globals';
import { FAULTS_MAX, messageOf } from './faults.js';

const faults = (count: number): string[] => Array.from({ length: count }, (_, n) => `f${n}`);

describe('the message of a request with faults', () => {
  it('lists up to ten', () => {
    expect(messageOf(['a: is missing'])).toBe('a: is missing');
    expect(messageOf(faults(FAULTS_MAX))).toBe('f0; f1; f2; f3; f4; f5; f6; f7; f8; f9');
  });

  it('says how many others there are', () => {
    expect(messageOf(faults(FAULTS_MAX + 1))).toMatch(/; f9; and 1 more$/);
    expect(messageOf(faults(10_000))).toMatch(/; f9; and 9990 more$/);
  });
});
