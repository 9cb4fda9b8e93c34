import { type OpenIdSettings } from './openid.settings.js';

/** The settings of an installation without an OpenID provider. */
export const NO_PROVIDER: OpenIdSettings = {
  issuer: null,
  clientId: null,
  clientSecret: null,
  audience: null,
  groupsClaim: 'groups',
  scopes: 'openid profile email',
  callbackUrl: 'http://127.0.0.1:8080/api/v1/auth/oidc/callback',
};
