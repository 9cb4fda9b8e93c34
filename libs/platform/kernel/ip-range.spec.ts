import { isIP } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressOf, hasAddress, hasRange, ipRangeOf } from './ip-range.js';

const rangeOf = (text: string) => {
  const range = ipRangeOf(text);
  if (!range) throw new Error(`${text} is no range`);
  return range;
};

const isIn = (range: string, address: string): boolean => {
  const number = addressOf(address);
  return number !== null && hasAddress(rangeOf(range), number);
};

describe('addresses', () => {
  it('are read where Node reads them', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        expect(addressOf(text)).not.toBeNull();
      }),
    );
  });

  it.each([
    '',
    '1.2.3',
    '1.2.3.256',
    '01.2.3.4',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    'g::',
    '::1.2.3.300',
  ])('are none, as for Node: %j', (text) => {
    expect(isIP(text)).toBe(0);
    expect(addressOf(text)).toBeNull();
  });

  it('are the same number in each of their spellings', () => {
    expect(addressOf('2001:DB8::1')).toBe(addressOf('2001:db8:0:0:0:0:0:1'));
    expect(addressOf('::ffff:192.0.2.1')).toBe(addressOf('192.0.2.1'));
    expect(addressOf('::')).toBe(0n);
  });
});

describe('a range', () => {
  it('has the addresses with its leading bits', () => {
    expect(isIn('192.0.2.0/24', '192.0.2.255')).toBe(true);
    expect(isIn('192.0.2.0/24', '192.0.3.0')).toBe(false);
    expect(isIn('2001:db8::/32', '2001:db8:ffff::1')).toBe(true);
    expect(isIn('2001:db8::/32', '2001:db9::')).toBe(false);
    expect(isIn('192.0.2.7/32', '192.0.2.7')).toBe(true);
    expect(isIn('0.0.0.0/0', '2001:db8::1')).toBe(false);
    expect(isIn('::/0', '192.0.2.1')).toBe(true);
  });

  it('has the ranges with as many bits or more', () => {
    expect(hasRange(rangeOf('192.0.2.0/24'), rangeOf('192.0.2.128/25'))).toBe(true);
    expect(hasRange(rangeOf('192.0.2.128/25'), rangeOf('192.0.2.0/24'))).toBe(false);
    expect(hasRange(rangeOf('192.0.2.0/24'), rangeOf('192.0.3.0/25'))).toBe(false);
  });

  it.each(['192.0.2.0', '192.0.2.0/33', '::/129', '/8', '::/', 'a/8'])('is none: %j', (text) => {
    expect(ipRangeOf(text)).toBeNull();
  });
});
