import { Inject, Injectable } from '@nestjs/common';
import { type JWTVerifyGetKey } from 'jose';
import { type Configuration } from 'openid-client';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { reject } from '../identity.errors.js';
import { OPENID_SETTINGS, type OpenIdSettings } from './openid.settings.js';
import { OpenIdUnavailableError } from './openid-unavailable.error.js';

/** For each request to the provider. */
export const PROVIDER_TIMEOUT_SECONDS = 5;
/** Of the clocks of provider and gateway. */
export const CLOCK_SKEW_SECONDS = 30;
/** The metadata of the provider is read again after this time. */
const METADATA_MS = 3_600_000;
/** After a failure, requests fail without another attempt for this time. */
const COOL_DOWN_MS = 5_000;
/** Keys are read again for an unknown one, once in this time. */
const KEYS_COOL_DOWN_MS = 30_000;
const KEYS_MS = 600_000;

/** The provider as its metadata describe it. */
export interface Provider {
  readonly configuration: Configuration;
  /** The `iss` of its tokens. */
  readonly issuer: string;
  /** The public keys of its tokens. */
  readonly keys: JWTVerifyGetKey;
}

interface KnownProvider {
  readonly provider: Provider;
  readonly foundAtMs: number;
}

/**
 * Finds the configured provider when it is first needed. A provider that is away stops no process,
 * and delays a request by the time-out at most.
 */
@Injectable()
export class ProviderDiscovery {
  #known: KnownProvider | null = null;
  #pending: Promise<Provider> | null = null;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(OPENID_SETTINGS) private readonly settings: OpenIdSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError `oidc_not_configured`
   * @throws OpenIdUnavailableError
   */
  async provider(): Promise<Provider> {
    const nowMs = this.clock.now();
    const known = this.#known;
    if (known && nowMs - known.foundAtMs < METADATA_MS) return known.provider;
    if (nowMs - this.#failedAtMs < COOL_DOWN_MS) return known?.provider ?? unavailable();
    this.#pending ??= this.#find().finally(() => (this.#pending = null));
    return this.#pending;
  }

  async #find(): Promise<Provider> {
    const issuer = this.settings.issuer ?? reject('oidc_not_configured', missing('ISSUER'));
    try {
      const provider = await this.#discover(issuer);
      this.#known = { provider, foundAtMs: this.clock.now() };
      return provider;
    } catch (cause) {
      this.#failedAtMs = this.clock.now();
      // Old metadata are better than none.
      return this.#known?.provider ?? unavailable(cause);
    }
  }

  async #discover(issuer: string): Promise<Provider> {
    const openid = await import('openid-client');
    const { createRemoteJWKSet } = await import('jose');
    const { clientId, clientSecret } = this.settings;
    const configuration = await openid.discovery(
      new URL(issuer),
      // Machines need no client.
      clientId ?? 'none',
      { [openid.clockTolerance]: CLOCK_SKEW_SECONDS },
      clientSecret === null ? openid.None() : openid.ClientSecretBasic(clientSecret),
      {
        timeout: PROVIDER_TIMEOUT_SECONDS,
        execute: [
          openid.enableNonRepudiationChecks,
          // The settings take such an issuer on the loopback address alone.
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked to stand out
          ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
        ],
      },
    );
    const { issuer: found, jwks_uri: keysUrl } = configuration.serverMetadata();
    // Some providers have one address for many issuers, whose subjects could collide.
    if (new URL(found).href !== new URL(issuer).href || keysUrl === undefined) {
      throw new Error(`the metadata of ${issuer} are of the issuer ${found}, or without jwks_uri`);
    }
    const keys = createRemoteJWKSet(new URL(keysUrl), {
      timeoutDuration: PROVIDER_TIMEOUT_SECONDS * 1_000,
      cooldownDuration: KEYS_COOL_DOWN_MS,
      cacheMaxAge: KEYS_MS,
    });
    return { configuration, issuer: found, keys };
  }
}

const unavailable = (cause?: unknown): never => {
  throw new OpenIdUnavailableError('the OpenID provider does not answer', { cause });
};

/** Of a setting that is not set. */
export const missing = (name: 'ISSUER' | 'CLIENT_ID' | 'AUDIENCE'): string =>
  `QUIPU_OIDC_${name} is not set`;
