import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Scopes } from '#events/identity/key-policy.vocabulary.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { reject } from '../identity.errors.js';
import { type AppClient } from '../sessions/session-opener.js';
import { OPENID_SETTINGS, type OpenIdSettings } from './openid.settings.js';
import { missing, type Provider, ProviderDiscovery } from './provider-discovery.js';
import { identityOf, type ProviderIdentity } from './provider-identity.js';
import { withRejections } from './provider-rejections.js';

/** How long a user may take at the provider. */
export const SIGN_IN_SECONDS = 600;

/** A sign-in that the provider has to answer. The browser keeps it, encrypted. */
const PendingSignIn = z.object({
  state: z.string().min(1),
  nonce: z.string().min(1),
  codeVerifier: z.string().min(1),
  appName: z.string().nullable(),
  deviceInfo: z.string().nullable(),
  scopes: z.union([Scopes, z.literal('console')]),
});
type PendingSignIn = z.infer<typeof PendingSignIn>;

export interface BegunSignIn {
  /** Of the provider, where the browser goes next. */
  readonly url: string;
  /** The browser sends it with the callback. */
  readonly sealed: string;
  /** Whether the browser may send it without TLS. */
  readonly isSecure: boolean;
}

export interface AnsweredSignIn {
  readonly identity: ProviderIdentity;
  readonly client: AppClient;
}

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' } as const;

/**
 * The authorization code flow (OpenID Connect Core, section 3.1) with PKCE (RFC 7636). The gateway
 * keeps nothing between the two requests: state, nonce and code verifier are in a cookie, encrypted
 * with a key of the installation, so only the browser that began a sign-in can end it.
 */
@Injectable()
export class BrowserSignIns {
  readonly #key: Uint8Array;

  constructor(
    private readonly discovery: ProviderDiscovery,
    @Inject(OPENID_SETTINGS) private readonly settings: OpenIdSettings,
    @Inject(SECRETS) secrets: Pick<Secrets, 'key'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#key = secrets.key('openid-sign-ins');
  }

  /**
   * @throws DomainError `oidc_not_configured`
   * @throws OpenIdUnavailableError
   */
  async begin(client: AppClient): Promise<BegunSignIn> {
    const { configuration } = await this.#provider();
    const openid = await import('openid-client');
    const codeVerifier = openid.randomPKCECodeVerifier();
    const [state, nonce] = [openid.randomState(), openid.randomNonce()];
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.settings.callbackUrl,
      scope: this.settings.scopes,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    const sealed = await this.#seal({
      ...client,
      scopes: client.scopes === 'console' ? client.scopes : [...client.scopes],
      state,
      nonce,
      codeVerifier,
    });
    return { url: url.href, sealed, isSecure: this.settings.callbackUrl.startsWith('https:') };
  }

  /**
   * Exchanges the code of a callback for the identity of the user.
   * @param query of the callback, without its question mark
   * @param sealed null: the browser sent none
   * @throws DomainError `oidc_not_configured`, `invalid_state`, `sign_in_rejected`
   * @throws OpenIdUnavailableError
   */
  async end(query: string, sealed: string | null): Promise<AnsweredSignIn> {
    const { configuration } = await this.#provider();
    const { state, nonce, codeVerifier, ...client } = await this.#open(sealed);
    const url = new URL(this.settings.callbackUrl);
    url.search = query;
    if (url.searchParams.get('state') !== state) rejectState();
    const claims = await withRejections(async (openid) => {
      const answer = await openid.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const ofToken: Claims = answer.claims() ?? { sub: '' };
      const { groupsClaim } = this.settings;
      const { userinfo_endpoint: more } = configuration.serverMetadata();
      // Many providers name the groups there alone.
      if (ofToken[groupsClaim] !== undefined || more === undefined) return ofToken;
      const info = await openid.fetchUserInfo(configuration, answer.access_token, ofToken.sub);
      return { ...info, ...ofToken };
    });
    const { issuer, groupsClaim } = this.settings;
    const identity = identityOf(issuer ?? '', claims, groupsClaim);
    return identity
      ? { identity, client }
      : reject('sign_in_rejected', 'id_token: expected a sub of 1 to 255 characters');
  }

  async #provider(): Promise<Provider> {
    const { issuer, clientId } = this.settings;
    const names = [
      ...(issuer === null ? [missing('ISSUER')] : []),
      ...(clientId === null ? [missing('CLIENT_ID')] : []),
    ];
    if (names.length > 0) reject('oidc_not_configured', names.join('; '));
    return this.discovery.provider();
  }

  async #seal(pending: PendingSignIn): Promise<string> {
    const { EncryptJWT } = await import('jose');
    const endsAt = Math.floor(this.clock.now() / 1_000) + SIGN_IN_SECONDS;
    const token = new EncryptJWT({ ...pending }).setProtectedHeader(ENCRYPTION);
    return token.setExpirationTime(endsAt).encrypt(this.#key);
  }

  async #open(sealed: string | null): Promise<PendingSignIn> {
    if (sealed === null) return rejectState();
    const { jwtDecrypt } = await import('jose');
    const currentDate = new Date(this.clock.now());
    const options = {
      currentDate,
      requiredClaims: ['exp'],
      keyManagementAlgorithms: [ENCRYPTION.alg],
      contentEncryptionAlgorithms: [ENCRYPTION.enc],
    };
    const opened = await jwtDecrypt(sealed, this.#key, options).catch(() => rejectState());
    return PendingSignIn.parse(opened.payload);
  }
}

const rejectState = (): never =>
  reject(
    'invalid_state',
    'state: expected the one that this browser got at /api/v1/auth/oidc/start within ' +
      `${SIGN_IN_SECONDS} s; begin the sign-in again`,
  );
