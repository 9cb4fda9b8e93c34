import { describe, expect, it } from '@jest/globals';
import { isWebAddress } from './web-address.js';

describe('a web address', () => {
  it.each([
    'https://shop.example/thanks',
    'http://localhost:8080/?a=1#b',
    'https://[fe80::1]/',
    'https://xn--bcher-kva.example/',
  ])('is %s', (text) => {
    expect(isWebAddress(text)).toBe(true);
  });

  // `validator` accepts the first four of them.
  it.each([
    'https://[fe80::1%25lo]/',
    'https://[fe80::1%eth0]/',
    'https://256.256.256.256/',
    'https://shop.example/a\nb',
    'https:/shop.example/',
    'shop.example',
    'ftp://shop.example/',
    'javascript:alert(1)',
    7,
    null,
  ])('is not %j', (text) => {
    expect(isWebAddress(text)).toBe(false);
  });
});
