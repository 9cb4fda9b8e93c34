import { describe, expect, it } from '@jest/globals';
import {
  depositIdOf,
  keyIdOf,
  limitOf,
  pageLimitOf,
  percentsOf,
  prefixOf,
  reasonOf,
  requestIdOf,
  startOfTailOf,
  usdOf,
} from './options.js';

describe('an amount in dollars', () => {
  it.each([
    ['10', 10_000_000n],
    ['12.50', 12_500_000n],
    ['0.000001', 1n],
    ['999999999999.999999', 999_999_999_999_999_999n],
  ])('reads %s', (text, amount) => {
    expect(usdOf(text)).toBe(amount);
  });

  it.each(['', 'ten', '1e3', '1,000', '.5', '5.', '0.0000001', '$5', 'Infinity'])(
    'refuses %j as no amount',
    (text) => {
      expect(() => usdOf(text)).toThrow('Expected dollars with at most 6 decimals');
    },
  );

  it.each(['0', '0.00', '-5'])('rejects %s as not above zero', (text) => {
    expect(() => usdOf(text)).toThrow('Expected an amount above zero');
  });

  it('rejects an amount too large for an event', () => {
    expect(() => usdOf('1000000000000')).toThrow('Expected less than a million million dollars');
  });
});

describe('the start of a tail', () => {
  it('is a position or the end', () => {
    expect(startOfTailOf('0')).toBe(0n);
    expect(startOfTailOf('9223372036854775807')).toBe(2n ** 63n - 1n);
    expect(startOfTailOf('end')).toBe('end');
  });

  it.each(['', '-1', '1.5', '0x10', 'start', '9223372036854775808', '1'.repeat(20)])(
    'rejects %j',
    (text) => {
      expect(() => startOfTailOf(text)).toThrow('Expected a position in the log, or "end".');
    },
  );
});

describe('a limit', () => {
  it('is a whole number above zero', () => {
    expect(limitOf('1')).toBe(1);
    expect(limitOf('1000000')).toBe(1_000_000);
  });

  it.each(['', '0', '-1', '1.5', '1e3', '01', '9'.repeat(16)])('rejects %j', (text) => {
    expect(() => limitOf(text)).toThrow('Expected a whole number above zero.');
  });
});

describe('texts', () => {
  it('are at most as long as an event accepts', () => {
    expect(reasonOf('r'.repeat(500))).toHaveLength(500);
    expect(() => reasonOf('r'.repeat(501))).toThrow('Expected 1 to 500 characters.');
    expect(depositIdOf('d'.repeat(200))).toHaveLength(200);
    expect(() => depositIdOf('d'.repeat(201))).toThrow('Expected 1 to 200 characters.');
  });

  it('are not blank', () => {
    expect(() => reasonOf('')).toThrow('Expected 1 to 500 characters.');
    expect(() => depositIdOf(' ')).toThrow('Expected 1 to 200 characters.');
    expect(() => prefixOf('')).toThrow('Expected at least one character.');
    expect(prefixOf('account-')).toBe('account-');
  });
});

describe('the length of a page', () => {
  it('is at most 1,000', () => {
    expect(pageLimitOf('1000')).toBe(1_000);
    expect(() => pageLimitOf('1001')).toThrow('Expected at most 1000');
    expect(() => pageLimitOf('0')).toThrow('Expected a whole number above zero');
  });
});

describe('percents', () => {
  it('are sorted; there may be none', () => {
    expect(percentsOf('80,50,100')).toEqual([50, 80, 100]);
    expect(percentsOf('')).toEqual([]);
  });

  it.each(['0', '101', '50,50', '5.5', 'half', '1,2,3,4,5,6,7,8,9,10,11'])('reject %j', (text) => {
    expect(() => percentsOf(text)).toThrow('Expected at most 10 different percents');
  });
});

describe('the id of a request', () => {
  it('is a UUID', () => {
    const id = '01890a5d-ac96-774b-bcce-b302099a8057';
    expect(requestIdOf(id.toUpperCase())).toBe(id);
    expect(() => requestIdOf('14:03')).toThrow('Expected the id of a request');
  });
});

describe('the id of a key', () => {
  it('is 16 hex digits', () => {
    expect(keyIdOf('2b9ac6a26d6d9ca1')).toBe('2b9ac6a26d6d9ca1');
    expect(() => keyIdOf('sk-svc-secret')).toThrow('Expected the id of a key');
  });
});
