import { Inject, Injectable } from '@nestjs/common';
import { type ApiKeyRestricted, type ApiKeyRevoked } from '#events/identity/api-key.events.js';
import { type KeyKind } from '#events/identity/identity.vocabulary.js';
import { type KeyPolicy } from '#events/identity/key-policy.vocabulary.js';
import { type Membership } from '#events/teams/team.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { Authenticator } from '../authentication/authenticator.js';
import { deriveSecret, fingerprint, keyIdOf, mintSecret } from '../authentication/credentials.js';
import { reject } from '../identity.errors.js';
import { apiKeyStream, IdentityStreams } from '../identity.streams.js';
import { PersonalData } from '../users/personal-data.js';
import { type ApiKeyState } from './api-key.decider.js';
import { type PolicyChange } from './key-policy.js';

export interface KeyToIssue {
  readonly userId: UserId;
  readonly keyKind: KeyKind;
  /** At most 128 characters; personal data. */
  readonly name: string;
  readonly policy: KeyPolicy;
  readonly sessionId: string | null;
  /** ISO 8601 UTC, or null. */
  readonly expiresAt: string | null;
  /** The hash of the key that this one replaces, or null. */
  readonly replaces: string | null;
  /** How long answers to the key are kept for the same request again. Absent: they are not. */
  readonly cacheSeconds?: number;
  /** The team for which it acts. Absent: the user's own account. */
  readonly membership?: Membership;
}

export interface IssuedKey {
  /** Returned once; only its hash is stored. */
  readonly secret: string;
  readonly keyHash: string;
  /** ISO 8601 UTC. */
  readonly issuedAt: string;
}

type Revocation = Pick<ApiKeyRevoked['data'], 'keyHash' | 'userId' | 'reason'>;

interface Restriction extends Pick<ApiKeyRestricted['data'], 'keyHash' | 'userId'> {
  readonly policy: PolicyChange;
  /** Absent: as before. */
  readonly endsAt?: string | undefined;
  /** Default: `restricted`. */
  readonly reason?: ApiKeyRestricted['data']['reason'];
}

const KINDS: readonly KeyKind[] = ['user', 'renter'];

/** The key of a request, as an earlier attempt at it has issued it. */
export type KeyOfRequest = IssuedKey & Exclude<ApiKeyState, { readonly status: 'absent' }>;

/** Issues, replaces and revokes keys; only their hashes are stored. */
@Injectable()
export class KeyRing {
  readonly #derivingKey: Uint8Array;

  constructor(
    private readonly streams: IdentityStreams,
    private readonly personalData: PersonalData,
    private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SECRETS) secrets: Secrets,
  ) {
    this.#derivingKey = secrets.key('api-keys');
  }

  /** The secret of the one key that a request issues, in every attempt at it. */
  secretFor(kind: KeyKind, { requestId }: CommandContext): string {
    return deriveSecret(kind, this.#derivingKey, requestId);
  }

  /** Undefined where no attempt at the request has issued a key yet. */
  async issuedFor(context: CommandContext): Promise<KeyOfRequest | undefined> {
    for (const kind of KINDS) {
      const secret = this.secretFor(kind, context);
      const keyHash = fingerprint(secret);
      const { state } = await this.streams.apiKeys.stateOf(apiKeyStream(keyHash));
      if (state.status !== 'absent') return { ...state, secret, keyHash };
    }
    return undefined;
  }

  issue(key: KeyToIssue, context: CommandContext): Promise<IssuedKey> {
    return this.#issue(key, mintSecret(key.keyKind), context);
  }

  /** Issues the one key of a request that may be attempted again. */
  async issueOnce(key: KeyToIssue, context: CommandContext): Promise<IssuedKey> {
    try {
      return await this.#issue(key, this.secretFor(key.keyKind, context), context);
    } catch (error) {
      // Another attempt at the request was first.
      const isIssued = error instanceof DomainError && error.code === 'api_key_exists';
      const issued = isIssued ? await this.issuedFor(context) : undefined;
      if (!issued) throw error;
      return issued;
    }
  }

  async #issue(
    { name, ...key }: KeyToIssue,
    secret: string,
    context: CommandContext,
  ): Promise<IssuedKey> {
    const keyHash = fingerprint(secret);
    const issuedAt = instant(this.clock);
    const sealedName = await this.personalData.seal(key.userId, 'api-key-name', name);
    const lineage = key.replaces === null ? undefined : await this.#lineageOf(key.replaces);
    const line = lineage === undefined ? {} : { lineage };
    const data = { ...key, keyHash, sealedName, issuedAt, ...line };
    await this.streams.apiKeys.run(apiKeyStream(keyHash), { type: 'IssueApiKey', data }, context);
    return { secret, keyHash, issuedAt };
  }

  async #lineageOf(keyHash: string): Promise<string> {
    const { state } = await this.streams.apiKeys.stateOf(apiKeyStream(keyHash));
    const known = state.status === 'absent' ? undefined : state.lineage;
    return known ?? keyIdOf(keyHash);
  }

  /**
   * For a request that may be attempted again: its key is the same in every attempt. The new key is
   * issued first, then the old one is revoked, or ends after the overlap: a crash in between leaves
   * both keys valid. Of two concurrent rotations of one key, the later fails.
   * @throws DomainError `api_key_not_found`
   */
  async replace(
    { replaces, ...key }: KeyToIssue & { readonly replaces: string },
    overlapSeconds: number,
    context: CommandContext,
  ): Promise<IssuedKey> {
    const { userId } = key;
    const issued = await this.issueOnce({ ...key, replaces }, context);
    try {
      await this.#endRotated(userId, replaces, overlapSeconds, context);
    } catch (error) {
      await this.revoke({ keyHash: issued.keyHash, userId, reason: 'revoked' }, context);
      throw error;
    }
    return issued;
  }

  /** Ends the key that another one replaces, unless an earlier attempt has. */
  async endReplaced(
    userId: UserId,
    keyHash: string,
    overlapSeconds: number,
    context: CommandContext,
  ): Promise<void> {
    const { state } = await this.streams.apiKeys.stateOf(apiKeyStream(keyHash));
    if (state.status !== 'active' || state.isRotated) return;
    await this.#endRotated(userId, keyHash, overlapSeconds, context);
  }

  async #endRotated(
    userId: UserId,
    keyHash: string,
    overlapSeconds: number,
    context: CommandContext,
  ): Promise<void> {
    if (overlapSeconds === 0) {
      await this.revoke({ keyHash, userId, reason: 'rotated' }, context);
      return;
    }
    const endsAt = new Date(this.clock.now() + overlapSeconds * 1_000).toISOString();
    const restriction = { keyHash, userId, policy: {}, endsAt, reason: 'rotated' } as const;
    await this.restrict(restriction, context);
  }

  /**
   * Takes something away from a key; an absent field stays as it is.
   * @throws DomainError `api_key_not_found`, `policy_too_wide`
   */
  async restrict(
    { keyHash, userId, policy: change, reason = 'restricted', ...end }: Restriction,
    context: CommandContext,
  ): Promise<void> {
    const stream = apiKeyStream(keyHash);
    const { state } = await this.streams.apiKeys.stateOf(stream);
    if (state.status === 'absent') return reject('api_key_not_found', 'there is no such key');
    const policy = { ...state.policy, ...change };
    // A key that ends during an overlap keeps its end.
    const asked = end.endsAt ?? state.endsAt;
    const isSooner = reason === 'rotated' && state.endsAt !== null && state.endsAt < (asked ?? '');
    const endsAt = isSooner ? state.endsAt : asked;
    const restrictedAt = instant(this.clock);
    const data = { keyHash, userId, policy, endsAt, reason, restrictedAt };
    await this.streams.apiKeys.run(stream, { type: 'RestrictApiKey', data }, context);
    this.authenticator.invalidate();
  }

  /** @throws DomainError `api_key_not_found` */
  async revoke(revocation: Revocation, context: CommandContext): Promise<void> {
    const data = { ...revocation, revokedAt: instant(this.clock) };
    const stream = apiKeyStream(revocation.keyHash);
    await this.streams.apiKeys.run(stream, { type: 'RevokeApiKey', data }, context);
    this.authenticator.invalidate();
  }
}
