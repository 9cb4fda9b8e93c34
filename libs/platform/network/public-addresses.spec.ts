import { describe, expect, it } from '@jest/globals';
import { isPrivateHost, isPublicAddress, lookupOfPublicHosts } from './public-addresses.js';

describe('an address', () => {
  it.each(['1.1.1.1', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])(
    'is public: %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:1.1.1.1',
    '64:ff9b::a00:1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'ff02::1',
    '2001:db8::1',
    '2002:a00:1::',
    'example.org',
    '',
  ])('is not public: %j', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('the host of a URL', () => {
  it.each([
    ['shop.example', false],
    ['1.1.1.1', false],
    ['[2606:4700::1111]', false],
    ['[::1]', true],
    ['10.1.2.3', true],
    ['localhost', true],
    ['db.internal', true],
    ['printer', true],
  ])('%s is private: %s', (host, isPrivate) => {
    expect(isPrivateHost(host)).toBe(isPrivate);
  });
});

describe('the look-up of a name', () => {
  it('rejects a name with a private address by the error of its caller', async () => {
    const lookup = lookupOfPublicHosts((hostname) => new Error(`${hostname} is private`));
    const error = await new Promise((resolve) => {
      lookup('localhost', {}, resolve);
    });
    expect(error).toEqual(new Error('localhost is private'));
  });
});
