import { z } from 'zod';
import { ISSUER } from '#events/identity/group-rule.events.js';
import { defineSettings, SettingsError, variable } from '#platform/runtime/areas/settings.js';

export interface OpenIdSettings {
  /** Null: no provider is configured. */
  readonly issuer: string | null;
  /** Null: users cannot sign in by the provider. */
  readonly clientId: string | null;
  /** Null: a public client, which PKCE alone protects. */
  readonly clientSecret: string | null;
  /** Of the tokens that machines send; null: none is accepted. */
  readonly audience: string | null;
  readonly groupsClaim: string;
  /** With spaces between. */
  readonly scopes: string;
  /** Where the provider sends the browser back to. */
  readonly callbackUrl: string;
}

export const OPENID_SETTINGS = Symbol('OpenIdSettings');

export const CALLBACK_PATH = '/api/v1/auth/oidc/callback';

const HTTPS_OR_LOOPBACK = /^https:\/\/|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/;

/** Codes and tokens are secrets: plain HTTP is for this machine alone. */
const url = z
  .url()
  .regex(ISSUER, 'expected a URL of at most 512 characters')
  .regex(HTTPS_OR_LOOPBACK, 'expected an https: URL; http: is for the loopback address alone');

const name = z.string().regex(/^[!-~]{1,256}$/, 'expected 1 to 256 characters without spaces');

export const openidSettings = defineSettings({
  token: OPENID_SETTINGS,
  variables: {
    QUIPU_OIDC_ISSUER: variable(
      url.optional(),
      'the OpenID provider that users and machines may sign in by: its issuer, as it writes it',
    ),
    QUIPU_OIDC_CLIENT_ID: variable(
      name.optional(),
      'this installation as the provider knows it; users sign in by the provider with it',
    ),
    QUIPU_OIDC_CLIENT_SECRET: variable(
      z.string().max(1_024).optional(),
      'the secret of that client; without it the client is a public one',
    ),
    QUIPU_OIDC_AUDIENCE: variable(
      name.optional(),
      'the `aud` of the tokens of the provider that machines send as their credential; another ' +
        'one than the client',
    ),
    QUIPU_OIDC_GROUPS_CLAIM: variable(
      name.default('groups'),
      'the claim with the groups, a list of texts',
    ),
    QUIPU_OIDC_SCOPES: variable(
      z
        .string()
        .max(512)
        .regex(/^(?:[!-~]+ )*openid(?: [!-~]+)*$/, 'expected openid and other scopes, by spaces')
        .default('openid profile email'),
      'the scopes that the gateway asks the provider for',
    ),
    QUIPU_OIDC_CALLBACK_URL: variable(
      url.optional(),
      `the address of \`${CALLBACK_PATH}\` for browsers, as the provider has it for the client`,
      `\`http://HOST:PORT${CALLBACK_PATH}\``,
    ),
  },
  read: (values, { listeningUrl }): OpenIdSettings => {
    const { QUIPU_OIDC_AUDIENCE: audience, QUIPU_OIDC_CLIENT_ID: clientId } = values;
    if (audience !== undefined && audience === clientId) {
      throw new SettingsError(
        'bad settings\n  QUIPU_OIDC_AUDIENCE: expected another text than QUIPU_OIDC_CLIENT_ID, ' +
          'or an ID token would be a credential',
      );
    }
    return {
      issuer: values.QUIPU_OIDC_ISSUER ?? null,
      clientId: clientId ?? null,
      clientSecret: values.QUIPU_OIDC_CLIENT_SECRET ?? null,
      audience: audience ?? null,
      groupsClaim: values.QUIPU_OIDC_GROUPS_CLAIM,
      scopes: values.QUIPU_OIDC_SCOPES,
      callbackUrl: values.QUIPU_OIDC_CALLBACK_URL ?? `${listeningUrl}${CALLBACK_PATH}`,
    };
  },
});
