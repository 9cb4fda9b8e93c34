import { describe, expect, it } from '@jest/globals';
import { rangeAsked } from './byte-range.js';

const TAG = '"abc"';
const asked = (range?: string, condition?: string) =>
  rangeAsked({ range, 'if-range': condition }, 1_000, TAG);

describe('a range of bytes', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=10-19', { start: 10, end: 20 }],
    ['bytes=990-2000', { start: 990, end: 1_000 }],
    ['bytes=500-', { start: 500, end: 1_000 }],
    ['bytes=-300', { start: 700, end: 1_000 }],
    ['bytes=-3000', { start: 0, end: 1_000 }],
  ])('is %s', (range, expected) => {
    expect(asked(range)).toEqual(expected);
    expect(asked(range, TAG)).toEqual(expected);
  });

  it.each([undefined, '', 'bytes=-', 'bytes=5-4', 'bytes=0-1,3-4', 'rows=0-1', 'bytes=a-b'])(
    'is the whole file for %j',
    (range) => {
      expect(asked(range)).toBeNull();
    },
  );

  it('is the whole file where another version was asked for', () => {
    expect(asked('bytes=0-9', '"other"')).toBeNull();
    expect(asked('bytes=0-9', 'Wed, 25 Nov 2026 10:00:00 GMT')).toBeNull();
  });

  it.each(['bytes=1000-', 'bytes=1000-2000', 'bytes=-0'])('cannot be %s', (range) => {
    expect(() => asked(range)).toThrow('expected bytes of a file of 1000');
  });
});
