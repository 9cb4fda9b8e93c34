import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Marking } from '#events/vaults/vault.events.js';
import { configured, markingOf, meetOf, reaches, textOf } from './marking.js';

const words = { levels: ['OPEN', 'SECRET', 'TOP'], compartments: ['A', 'B', 'C'] };

const markings: fc.Arbitrary<Marking> = fc.record({
  level: fc.constantFrom(...words.levels),
  compartments: fc.subarray(words.compartments),
});

describe('a marking', () => {
  it.each([
    ['OPEN', 'OPEN'],
    ['secret//b/a', 'SECRET//A/B'],
    ['TOP//C/C', 'TOP//C'],
  ])('is read from %s', (text, shown) => {
    expect(textOf(markingOf(text, words))).toBe(shown);
  });

  it.each(['', 'COSMIC', 'OPEN//', 'OPEN//D', 'OPEN/A', 'OPEN A', '//A'])(
    'is not read from "%s"',
    (text) => {
      expect(() => markingOf(text, words)).toThrow(
        expect.objectContaining({
          code: 'invalid_marking',
          detail:
            'classification_marking: expected one of OPEN, SECRET, TOP, then // and compartments ' +
            'such as A/B',
        }),
      );
    },
  );

  it('is reached by itself, and by a clearance above it in each part', () => {
    fc.assert(
      fc.property(markings, markings, markings, (one, other, third) => {
        expect(reaches(one, one, words)).toBe(true);
        const both = reaches(one, other, words) && reaches(other, one, words);
        expect(both).toBe(textOf(one) === textOf(other));
        if (reaches(one, other, words) && reaches(other, third, words)) {
          expect(reaches(one, third, words)).toBe(true);
        }
      }),
    );
  });

  it('is reached by the meet of two exactly when both reach it', () => {
    fc.assert(
      fc.property(markings, markings, markings, (one, other, marking) => {
        expect(reaches(meetOf(one, other, words), marking, words)).toBe(
          reaches(one, marking, words) && reaches(other, marking, words),
        );
      }),
    );
  });

  it('with an unknown word is reached by no clearance, and clears for the lowest', () => {
    const old = { level: 'COSMIC', compartments: ['A', 'Z'] };
    const top = { level: 'TOP', compartments: ['A', 'B', 'C', 'Z'] };
    expect(reaches(top, old, words)).toBe(false);
    expect(reaches(top, { level: 'OPEN', compartments: ['Z'] }, words)).toBe(false);
    expect(configured(old, words)).toEqual({ level: 'OPEN', compartments: ['A'] });
  });
});
