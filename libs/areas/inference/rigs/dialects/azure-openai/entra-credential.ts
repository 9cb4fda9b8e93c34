import { type Clock } from '#platform/kernel/clock.js';
import { AccessTokens } from '../access-tokens.js';
import { secretIn, type SecretValue } from '../credentials.js';
import { type Credential } from '../dialect.js';

export interface EntraOptions {
  readonly rig: string;
  readonly tenant: string;
  readonly clientId: string;
  readonly clientSecret: SecretValue;
  readonly scope: string;
  /** Of the service that issues tokens. */
  readonly authority: string;
  readonly clock: Clock;
}

/** Tokens of Microsoft Entra by the client's credentials. */
export const entraCredential = (options: EntraOptions): Credential => {
  const { rig, tenant, clientId, clientSecret, scope, authority, clock } = options;
  const form = async () => ({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: await secretIn(rig, clientSecret),
    scope,
  });
  const url = `${authority}/${tenant}/oauth2/v2.0/token`;
  return new AccessTokens(rig, { name: 'Microsoft Entra', url, form }, clock);
};
