import { describe, expect, it } from '@jest/globals';
import { allowedHostOf, entryFor } from './allowed-hosts.js';

const hosts = ['api.example.org', '*.example.net', 'shop.example:8443', 'private:10.0.0.7:8080']
  .map(allowedHostOf)
  .flatMap((host) => host ?? []);

describe('the hosts that may be called', () => {
  it.each([
    ['https://api.example.org/v1?q=1', true],
    ['https://API.example.org:443/', true],
    ['https://api.example.org:8443/', false],
    ['http://api.example.org/', false],
    ['https://example.org/', false],
    ['https://api.example.org.evil.example/', false],
    ['https://a.b.example.net/', true],
    ['https://example.net/', false],
    ['https://notexample.net/', false],
    ['https://shop.example:8443/', true],
    ['https://shop.example/', false],
    ['http://10.0.0.7:8080/', true],
    ['https://10.0.0.7:8080/', true],
    ['http://10.0.0.7/', false],
    ['ftp://api.example.org/', false],
  ])('%s: %s', (url, isAllowed) => {
    expect(entryFor(new URL(url), hosts) !== undefined).toBe(isAllowed);
  });

  it.each(['', 'https://api.example.org', 'a b', '*', 'host:port', 'private:', '-a'])(
    'are not written as %j',
    (entry) => {
      expect(allowedHostOf(entry)).toBeUndefined();
    },
  );

  it('may be addresses of version 6', () => {
    const entry = allowedHostOf('private:[::1]:8080');
    expect(entryFor(new URL('http://[::1]:8080/'), entry ? [entry] : [])).toBe(entry);
  });
});
