import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TRIGRAM_DIMENSIONS, trigramVector, utf8Bytes } from './text.encoder.js';

/** FNV-1a of single trigrams, as a Python program computes it: slots of 256 and their values. */
const KNOWN = [
  ['a', [[238, 1]]],
  [
    'é',
    [
      [103, Math.SQRT1_2],
      [51, -Math.SQRT1_2],
    ],
  ],
  [
    'AB',
    [
      [136, Math.SQRT1_2],
      [94, -Math.SQRT1_2],
    ],
  ],
] as const;

describe('text encoder', () => {
  it.each(KNOWN)('hashes the trigrams of "%s" by FNV-1a', (text, slots) => {
    const expected = new Float32Array(TRIGRAM_DIMENSIONS);
    for (const [slot, value] of slots) expected[slot] = value;
    expect(trigramVector(text)).toEqual(expected);
  });

  it('gives vectors of length 1 whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (text) => {
        const vector = trigramVector(text);
        const length = Math.hypot(...vector);
        // Two trigrams of opposite sign in one slot may cancel to nothing.
        expect(length === 0 || Math.abs(length - 1) < 1e-6).toBe(true);
        expect(trigramVector(text.toUpperCase().toLowerCase())).toEqual(
          trigramVector(text.toUpperCase()),
        );
      }),
    );
  });

  it('ignores case, and the amount of white space', () => {
    expect(trigramVector('  Solve\n for X ')).toEqual(trigramVector('solve for x'));
    expect(trigramVector('solve for y')).not.toEqual(trigramVector('solve for x'));
  });

  it('gives zeros for an empty text', () => {
    expect(trigramVector(' ').every((value) => value === 0)).toBe(true);
    expect(utf8Bytes('', 8)).toHaveLength(0);
  });

  it('cuts bytes at the maximum', () => {
    expect([...utf8Bytes('aé€', 16)]).toEqual([0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac]);
    expect([...utf8Bytes('aé€', 4)]).toEqual([0x61, 0xc3, 0xa9, 0xe2]);
  });
});
