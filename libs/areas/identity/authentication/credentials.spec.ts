import { describe, expect, it } from '@jest/globals';
import { CREDENTIAL_PREFIXES, mintSecret, withoutCredentials } from './credentials.js';

describe('a log line', () => {
  it('has no credential, whatever its kind', () => {
    const kinds = ['user', 'renter', 'challenge'] as const;
    const jwt = 'eyJhbGciOi.eyJzdWIi.c2ln-Z_';
    const secrets = [...kinds.map(mintSecret), `svc_app_${jwt}`, `svc_con_${jwt}`];
    for (const secret of secrets) {
      const line = `{"path":"/v1/models/${secret}","reason":"no model ${secret}"}`;
      const prefix = secret.slice(0, secret.startsWith('sk') ? 7 : 8);
      const masked = `{"path":"/v1/models/${prefix}***","reason":"no model ${prefix}***"}`;
      expect(withoutCredentials(line)).toBe(masked);
    }
  });

  it.each(Object.values(CREDENTIAL_PREFIXES))('has no credential that begins with %s', (prefix) => {
    for (const written of [prefix, prefix.toUpperCase()]) {
      expect(withoutCredentials(`a ${written}Ab-1 b`)).toBe(`a ${written}*** b`);
    }
  });

  it('has no credential that is escaped as in a URL', () => {
    expect(withoutCredentials('"/v1/models/sk%2Dsvc%2dAbC%2D1"')).toBe(
      '"/v1/models/sk%2Dsvc%2d***"',
    );
    expect(withoutCredentials('"/pay/svc%5Fapi_AbC"')).toBe('"/pay/svc%5Fapi_***"');
  });

  it('is otherwise as it was', () => {
    const line = '{"message":"an API key (sk-svc-…) or an access token (svc_app_…)"}';
    expect(withoutCredentials(line)).toBe(line);
  });
});
