import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { growingCache } from '#platform/runtime/projections/growing-cache.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { fingerprint } from '../authentication/credentials.js';
import { reject } from '../identity.errors.js';
import { OPENID_SETTINGS, type OpenIdSettings } from './openid.settings.js';
import { OpenIdUnavailableError } from './openid-unavailable.error.js';
import { CLOCK_SKEW_SECONDS, type Provider, ProviderDiscovery } from './provider-discovery.js';
import { identityOf, type ProviderIdentity } from './provider-identity.js';
import { ProviderSubjects } from './provider-subjects.js';

/** Longer tokens are rejected unread. */
export const PROVIDER_TOKEN_LENGTH_MAX = 8_192;

/** Signatures by the public keys of the provider; a shared secret is never a key. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** Of access tokens (RFC 9068) and of tokens that do not say. */
const TYPES = ['jwt', 'at+jwt', 'application/at+jwt'];
/** A token is verified again after this time, so that a withdrawn key has no effect for long. */
const VERIFIED_MS = 300_000;
const TOKENS_CACHED_MAX = 20_000;

/** An error of the keys' retrieval; every other one of the library is about the token. */
const KEYS_AWAY: readonly string[] = ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'];

/** The sender of a verified token. */
export interface Machine {
  readonly identity: ProviderIdentity;
  readonly subjectHash: string;
}

interface VerifiedToken extends Machine {
  /** Milliseconds since the Unix epoch. */
  readonly validUntilMs: number;
}

/** The start of every JWT: a JSON object in base64url. */
export const isProviderToken = (token: string): boolean => token.startsWith('eyJ');

/**
 * Machines that send a token of the provider as their credential. The keys of the provider are
 * cached; an unknown key makes the gateway read them again, after a cool-down.
 */
@Injectable()
export class Machines {
  readonly #verified = growingCache<VerifiedToken>(TOKENS_CACHED_MAX);

  constructor(
    private readonly discovery: ProviderDiscovery,
    private readonly subjects: ProviderSubjects,
    @Inject(OPENID_SETTINGS) private readonly settings: OpenIdSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Null unless the token was verified before and has not expired. */
  known(token: string): Machine | null {
    const known = this.#verified.get(fingerprint(token));
    return known && known.validUntilMs > this.clock.now() ? known : null;
  }

  /**
   * Null for a token that is no valid one of the configured issuer and audience.
   * @throws OpenIdUnavailableError
   */
  async verified(token: string): Promise<Machine | null> {
    const { issuer, audience, groupsClaim } = this.settings;
    if (issuer === null || audience === null) return null;
    if (token.length > PROVIDER_TOKEN_LENGTH_MAX) return null;
    const known = this.known(token);
    if (known) return known;
    const claims = await this.#claimsOf(token, await this.discovery.provider(), audience);
    const identity = claims && identityOf(issuer, claims, groupsClaim);
    if (!identity) return null;
    const endMs = ((claims.exp ?? 0) + CLOCK_SKEW_SECONDS) * 1_000;
    const validUntilMs = Math.min(endMs, this.clock.now() + VERIFIED_MS);
    const subjectHash = this.subjects.hashOf(identity);
    const verified = { identity, subjectHash, validUntilMs };
    this.#verified.set(fingerprint(token), verified);
    return verified;
  }

  /**
   * Registers a subject that is no user, where a rule admits one of its groups.
   * @returns whether it was registered now
   * @throws DomainError `subject_not_admitted`, `openid_taken`
   */
  async admit({ identity }: Machine, context: CommandContext): Promise<boolean> {
    if ((await this.subjects.userOf(identity)) !== null) return false;
    const grant = await this.subjects.grantOf(identity);
    if (!grant) {
      return reject(
        'subject_not_admitted',
        'the token is valid, but its subject is no user here, and no rule admits its groups',
      );
    }
    await this.subjects.register(identity, grant.role, context);
    return true;
  }

  async #claimsOf(token: string, { issuer, keys }: Provider, audience: string) {
    const { errors, jwtVerify } = await import('jose');
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'iat'],
        clockTolerance: CLOCK_SKEW_SECONDS,
        currentDate: new Date(this.clock.now()),
      });
      // A token that is bound to a key of its sender (RFC 7800) is no bearer token.
      const isBearer = TYPES.includes((protectedHeader.typ ?? 'jwt').toLowerCase());
      return isBearer && payload['cnf'] === undefined ? payload : null;
    } catch (cause) {
      if (cause instanceof errors.JOSEError && !KEYS_AWAY.includes(cause.code)) return null;
      throw new OpenIdUnavailableError('the keys of the OpenID provider cannot be read', { cause });
    }
  }
}
