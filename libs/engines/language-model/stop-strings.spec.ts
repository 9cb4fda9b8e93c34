import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stopStrings } from './stop-strings.js';

const cut = (deltas: readonly string[], stops: readonly string[]): string => {
  const filter = stopStrings(stops);
  let shown = '';
  for (const delta of deltas) {
    const { text, stopped } = filter.push(delta);
    shown += text;
    if (stopped) return shown;
  }
  return shown + filter.flush();
};

describe('stop strings', () => {
  it('cut before a stop string inside one delta', () => {
    expect(cut(['one two three'], ['two'])).toBe('one ');
  });

  it('cut before a stop string that straddles deltas', () => {
    expect(cut(['one t', 'w', 'o three'], ['two'])).toBe('one ');
  });

  it('give back what only looked like the beginning of one', () => {
    expect(cut(['one t', 'w', 'ist'], ['two'])).toBe('one twist');
  });

  it('take the earliest of several', () => {
    expect(cut(['abcdef'], ['ef', 'cd'])).toBe('ab');
  });

  it('take the one that completes first, and of these the longest', () => {
    expect(cut(['ab', 'a'], ['aba', 'b'])).toBe('a');
    expect(cut(['aba'], ['aba', 'b'])).toBe('a');
    expect(cut(['aab'], ['b', 'ab'])).toBe('a');
    expect(cut(['aa', 'b'], ['b', 'ab'])).toBe('a');
  });

  it('ignore an empty stop string', () => {
    expect(cut(['abc'], [''])).toBe('abc');
  });

  it('show the same text however it is cut into deltas', () => {
    const letters = fc.constantFrom('a', 'b');
    const texts = fc.string({ unit: letters, maxLength: 20 });
    const stops = fc.array(fc.string({ unit: letters, minLength: 1, maxLength: 3 }), {
      maxLength: 2,
    });
    fc.assert(
      fc.property(fc.array(texts), stops, (deltas, wanted) => {
        expect(cut(deltas, wanted)).toBe(cut([deltas.join('')], wanted));
      }),
    );
  });
});
