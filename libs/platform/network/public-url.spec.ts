import { describe, expect, it } from '@jest/globals';
import { isPublicUrl } from './public-url.js';

describe('a URL', () => {
  it.each([
    'https://example.com/knot.png?size=1#a',
    'HTTP://93.184.216.34:8080/',
    'https://[2606:4700::1111]/',
  ])('is public: %s', (url) => {
    expect(isPublicUrl(url)).toBe(true);
  });

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://１２７.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://localhost./',
    'http://metadata/',
    'http://db.internal/',
    'https://example.com\\@127.0.0.1/',
    'https://example.com@127.0.0.1/',
    'https://user:word@example.com/',
    ' https://example.com/',
    'https://exa\tmple.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'ftp://example.com/',
    '//example.com/',
    'knot.png',
    '',
    `https://example.com/${'a'.repeat(8_192)}`,
  ])('is not public: %s', (url) => {
    expect(isPublicUrl(url)).toBe(false);
  });
});
