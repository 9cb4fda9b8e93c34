import { describe, expect, it } from '@jest/globals';
import { demandPublicUrl, isPublicAddress, publicLookup } from './private-addresses.js';

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

describe('the URL of a webhook', () => {
  it.each(['https://shop.example/hooks', 'https://shop.example:8443/', 'https://1.1.1.1/'])(
    'may be %s',
    (url) => {
      expect(demandPublicUrl(url, false).href).toBe(url);
    },
  );

  it.each([
    'http://shop.example/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://db.internal/',
    'https://intranet/',
  ])('is not %s, and the error names the setting', (url) => {
    expect(() => demandPublicUrl(url, false)).toThrow('QUIPU_WEBHOOK_PRIVATE=allow');
    expect(demandPublicUrl(url, true)).toBeInstanceOf(URL);
  });

  it('has no user and no password', () => {
    expect(() => demandPublicUrl('https://u:p@shop.example/', true)).toThrow('no user');
  });
});

describe('the look-up of a name', () => {
  it('rejects a name with a private address', async () => {
    const error = await new Promise((resolve) => {
      publicLookup('localhost', {}, resolve);
    });
    expect(error).toMatchObject({
      code: 'webhook_url_not_allowed',
      detail: expect.stringContaining('QUIPU_WEBHOOK_PRIVATE=allow'),
    });
  });
});
