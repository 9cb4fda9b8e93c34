import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cardDetector } from '../detectors/card.detector.js';
import { emailDetector } from '../detectors/email.detector.js';
import { ibanDetector } from '../detectors/iban.detector.js';
import { patternDetector } from '../detectors/pattern.detector.js';
import { phoneDetector } from '../detectors/phone.detector.js';
import { secretDetector } from '../detectors/secret.detector.js';
import { type ScannedRule, TextScanner } from './text-scanner.js';

const RULES: readonly ScannedRule[] = [
  { id: 'mail', detector: emailDetector, does: 'redact' },
  { id: 'phone', detector: phoneDetector, does: 'redact' },
  { id: 'iban', detector: ibanDetector, does: 'redact' },
  { id: 'card', detector: cardDetector, does: 'redact' },
  { id: 'key', detector: secretDetector, does: 'redact' },
  {
    id: 'own',
    detector: patternDetector(String.raw`\bemp[0-9 ]{2,6}\b|^[😀a-c]{3}$|b{2,3}?`),
    does: 'redact',
  },
  { id: 'flagged', detector: patternDetector('4{2,4}'), does: 'flag' },
];

const scanned = (parts: readonly string[], rules = RULES) => {
  const hits: Record<string, number> = {};
  const scanner = new TextScanner(rules, ({ id }) => {
    hits[id] = (hits[id] ?? 0) + 1;
  });
  const out = parts.map((part) => scanner.push(part));
  out.push(scanner.end());
  return { text: out.join(''), out, hits };
};

const PIECES = [
  ...['a@b.co', 'ada@mail.example.org', '@', '.', ' ', '-', '\n', 'x', 'a'.repeat(70), '😀', 'abc'],
  ...['+44 20 7946 0958', '+1', '4242 4242 4242 4242', '42', '4', 'GB82 WEST 1234 5698 7654 32'],
  ...['GB82', `sk-${'k'.repeat(30)}`, 'sk-', 'emp 123', 'emp', 'bb', 'bbb', '1234', '\ud83d', '_'],
];

describe('a scanner of texts', () => {
  it('redacts a text in parts as the whole, wherever it is cut', () => {
    const texts = fc
      .array(fc.constantFrom(...PIECES), { maxLength: 60 })
      .map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, fc.array(fc.nat(900), { maxLength: 30 }), (text, cuts) => {
        const at = [...cuts.filter((cut) => cut < text.length), 0, text.length];
        const places = [...new Set(at)].sort((one, other) => one - other);
        const parts = places.slice(1).map((place, n) => text.slice(places[n], place));
        const { text: redacted, hits } = scanned(parts);
        expect({ redacted, hits }).toEqual({
          redacted: scanned([text]).text,
          hits: scanned([text]).hits,
        });
      }),
      { numRuns: 400 },
    );
  });

  it('redacts a match that comes a letter at a time', () => {
    const { text, hits } = scanned(Array.from('pay GB82 WEST 1234 5698 7654 32 or a@b.co now'));
    expect(text).toBe('pay [redacted:iban] or [redacted:mail] now');
    expect(hits).toEqual({ iban: 1, mail: 1 });
  });

  it('holds back no more than the longest match', () => {
    const { out } = scanned(Array.from('x '.repeat(1_000)));
    const returned = out.slice(0, -1).join('').length;
    expect(2_000 - returned).toBe(emailDetector.unitsMax + 2);
  });

  it('returns flagged text at once', () => {
    const { out, hits } = scanned(
      ['44', '4 a@', 'b.co'],
      [
        { id: 'four', detector: patternDetector('444'), does: 'flag' },
        { id: 'mail', detector: emailDetector, does: 'flag' },
      ],
    );
    expect(out).toEqual(['44', '4 a@', 'b.co', '']);
    expect(hits).toEqual({ four: 1, mail: 1 });
  });

  it('never returns half of a pair', () => {
    const { out } = scanned(Array.from({ length: 400 }, () => '😀'));
    for (const part of out) expect(part.isWellFormed()).toBe(true);
  });

  it('gives matches that overlap one marker', () => {
    const overlapping: readonly ScannedRule[] = [
      { id: 'first', detector: patternDetector('abcd'), does: 'redact' },
      { id: 'second', detector: patternDetector('cdef'), does: 'redact' },
    ];
    expect(scanned(['abcdefg'], overlapping).text).toBe('[redacted:first]g');
  });
});
