import { describe, expect, it } from '@jest/globals';
import { cardDetector } from './card.detector.js';
import { type Detector } from './detector.js';
import { emailDetector } from './email.detector.js';
import { ibanDetector } from './iban.detector.js';
import { patternDetector, PATTERN_UNITS_MAX } from './pattern.detector.js';
import { phoneDetector } from './phone.detector.js';
import { secretDetector } from './secret.detector.js';

const foundBy = (detector: Detector, text: string): readonly string[] => {
  const found: string[] = [];
  for (let from = 0; ;) {
    const match = detector.next(text, from);
    if (!match) return found;
    found.push(text.slice(match.start, match.end));
    from = match.end;
  }
};

describe('addresses of e-mail', () => {
  it.each([
    ['Write to ada.lovelace+knots@mail.example.org.', ['ada.lovelace+knots@mail.example.org']],
    ['<a@b.co>,c_d%e@f-g.io!', ['a@b.co', 'c_d%e@f-g.io']],
    ['to=x@xn--bcher-kva.xn--p1ai;', ['x@xn--bcher-kva.xn--p1ai']],
    ['a@b.example-...', ['a@b.example']],
    ['a@b a@b.c a@.com @c.de a@b..de a@1.2.3.4 a @b.de', []],
    ['@@@', []],
  ])('are found in %s', (text, found) => {
    expect(foundBy(emailDetector, text)).toEqual(found);
  });

  it('have 64 characters before the sign at most', () => {
    const [match] = foundBy(emailDetector, `${'a'.repeat(100)}@b.de`);
    expect(match).toBe(`${'a'.repeat(64)}@b.de`);
  });
});

describe('phone numbers', () => {
  it.each([
    ['Call +44 20 7946 0958 or +1 (555) 010-9999.', ['+44 20 7946 0958', '+1 (555) 010-9999']],
    ['+493012345678', ['+493012345678']],
    ['+1234567 a+4420794609581 +12 +1234567890123456 020 7946 0958', []],
    ['+44 20 7946 0958 1234567890', ['+44 20 7946 0958']],
  ])('are found in %s', (text, found) => {
    expect(foundBy(phoneDetector, text)).toEqual(found);
  });
});

describe('IBANs', () => {
  // The examples of Wikipedia (International Bank Account Number), and of the registry.
  it.each([
    'GB82 WEST 1234 5698 7654 32',
    'GB33BUKB20201555555555',
    'BE71 0961 2345 6769',
    'FR76 3000 6000 0112 3456 7890 189',
    'DE91 1000 0000 0123 4567 89',
    'GR96 0810 0010 0000 0123 4567 890',
    'MU43 BOMM 0101 1234 5678 9101 000 MUR',
    'PK70 BANK 0000 1234 5678 9000',
    'PL10 1050 0099 7603 1234 5678 9123',
    'RO09 BCYP 0000 0012 3456 7890',
    'LC14 BOSL 1234 5678 9012 3456 7890 1234',
    'SA44 2000 0001 2345 6789 1234',
    'ES79 2100 0813 6101 2345 6789',
    'SE45 5000 0000 0583 9825 7466',
    'CH56 0483 5012 3456 7800 9',
    'NO83 3000 1234 567',
    'MT84 MALT 0110 0001 2345 MTLC AST0 01S',
    'nl02-abna-0123-4567-89',
  ])('has the right checksum: %s', (iban) => {
    expect(foundBy(ibanDetector, `account ${iban}, please`)).toEqual([iban]);
  });

  it.each([
    'GB82 WEST 1234 5698 7654 33',
    'GB82 WEST 1234 5698 7654 321',
    'XGB82WEST12345698765432',
    'ZZ82 WEST 1234 5698 7654 32',
    'GB82 WEST 1234  5698 7654 32',
  ])('is not %s', (text) => {
    expect(foundBy(ibanDetector, text)).toEqual([]);
  });
});

describe('cards', () => {
  // Test numbers that Stripe, PayPal and Adyen publish.
  it.each([
    '4242424242424242',
    '4000 0566 5566 5556',
    '4222222222222',
    '5555-5555-5555-4444',
    '2223003122003222',
    '378282246310005',
    '3714 496353 98431',
    '6011111111111117',
    '30569309025904',
    '3566002020360505',
    '6200000000000005',
    '6205500000000000004',
  ])('has the right checksum: %s', (number) => {
    expect(foundBy(cardDetector, `paid by ${number} today`)).toEqual([number]);
    expect(foundBy(cardDetector, `${number} 123`)[0]).toMatch(number);
  });

  it.each([
    '4242424242424241',
    '42424242424242424242',
    'x4242424242424242',
    '4242424242424242x',
    '0.4242424242424242',
    '1700000000000',
    '4242 4242  4242 4242',
  ])('is not %s', (text) => {
    expect(foundBy(cardDetector, text)).toEqual([]);
  });
});

describe('secrets', () => {
  const rest = (length: number) => 'aB3'.repeat(100).slice(0, length);

  it.each([
    `sk-proj-${rest(40)}`,
    `sk-ant-api03-${rest(60)}-_AA`,
    `ghp_${rest(36)}`,
    `github_pat_${rest(22)}_${rest(59)}`,
    'AKIAIOSFODNN7EXAMPLE',
    `AIza${rest(35)}`,
    `xoxb-${rest(12)}-${rest(12)}`,
    `SG.${rest(22)}.${rest(43)}`,
    `hf_${rest(34)}`,
  ])('has a known prefix: %s', (secret) => {
    expect(foundBy(secretDetector, `key="${secret}".`)).toEqual([secret]);
  });

  it.each(['sk-short', `xsk-${rest(40)}`, `ask_live_${rest(40)}`, 'the hf_ prefix', 'risk-free'])(
    'is not %s',
    (text) => {
      expect(foundBy(secretDetector, text)).toEqual([]);
    },
  );
});

describe('a pattern of the operator', () => {
  it('has the syntax of RE2 and matches within lines', () => {
    const detector = patternDetector(String.raw`(?i)^emp-[0-9]{6}$|\bprojekt \pL{1,20}`);
    expect(foundBy(detector, 'x\nEMP-123456\nxemp-123456\nProjekt Ærø!')).toEqual([
      'EMP-123456',
      'Projekt Ærø',
    ]);
    expect(detector.unitsMax).toBe(56);
  });

  it.each([
    ['a+', '{1,64}'],
    ['(?:ab)*c', '{1,64}'],
    ['a{3,}', '{1,64}'],
    ['.{200}.{200}', '256 characters'],
    [String.raw`\Aabc`, String.raw`\A`],
    ['a?', 'empty'],
    [String.raw`\b`, 'empty'],
    ['(?=a)b', '(?='],
    [String.raw`(a)\1`, String.raw`\1`],
    ['(a{1,9}|b{1,9}){1,40}', '256 characters'],
    ['[', 'missing closing ]'],
    ['a'.repeat(PATTERN_UNITS_MAX + 1), '512 characters'],
  ])('is not %s', (pattern, why) => {
    expect(() => patternDetector(pattern)).toThrow(why);
  });

  it('takes time in proportion to the text', () => {
    const detector = patternDetector('(?:a{1,8}){1,8}b');
    const timed = (text: string): number => {
      const startedAt = performance.now();
      expect(foundBy(detector, text)).toEqual([]);
      return performance.now() - startedAt;
    };
    timed('a'.repeat(20_000));
    const short = timed('a'.repeat(20_000));
    expect(timed('a'.repeat(160_000))).toBeLessThan(Math.max(short, 5) * 40);
  });
});
