import { describe, expect, it } from '@jest/globals';
import { demandPublicUrl, publicLookup } from './private-addresses.js';

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
