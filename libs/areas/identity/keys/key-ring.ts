import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type ApiKeyRevoked } from '#events/identity/api-key.events.js';
import { type KeyKind } from '#events/identity/identity.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { Authenticator } from '../authentication/authenticator.js';
import { fingerprint, mintSecret } from '../authentication/credentials.js';
import { apiKeyStream, IdentityStreams } from '../identity.streams.js';
import { PersonalData } from '../users/personal-data.js';

export interface KeyToIssue {
  readonly userId: UserId;
  readonly keyKind: KeyKind;
  /** At most 128 characters; personal data. */
  readonly name: string;
  readonly sessionId: string | null;
  /** ISO 8601 UTC, or null. */
  readonly expiresAt: string | null;
  /** The hash of the key that this one replaces, or null. */
  readonly replaces: string | null;
}

export interface IssuedKey {
  /** Returned once; only its hash is stored. */
  readonly secret: string;
  readonly keyHash: string;
  /** ISO 8601 UTC. */
  readonly issuedAt: string;
}

type Revocation = Pick<ApiKeyRevoked['data'], 'keyHash' | 'userId' | 'reason'>;

/** Issues, replaces and revokes keys; only their hashes are stored. */
@Injectable()
export class KeyRing {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly personalData: PersonalData,
    private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async issue({ name, ...key }: KeyToIssue, context: CommandContext): Promise<IssuedKey> {
    const secret = mintSecret(key.keyKind);
    const keyHash = fingerprint(secret);
    const issuedAt = instant(this.clock);
    const sealedName = await this.personalData.seal(key.userId, 'api-key-name', name);
    const data = { ...key, keyHash, sealedName, issuedAt };
    await this.streams.apiKeys.run(apiKeyStream(keyHash), { type: 'IssueApiKey', data }, context);
    return { secret, keyHash, issuedAt };
  }

  /**
   * Issues the new key first and then revokes the old one: a crash in between leaves both keys
   * valid. Of two concurrent rotations of one key, the later fails.
   * @throws DomainError `api_key_not_found`
   */
  async replace(
    { replaces, ...key }: KeyToIssue & { readonly replaces: string },
    context: CommandContext,
  ): Promise<IssuedKey> {
    const { userId } = key;
    const issued = await this.issue({ ...key, replaces }, context);
    try {
      await this.revoke({ keyHash: replaces, userId, reason: 'rotated' }, context);
    } catch (error) {
      await this.revoke({ keyHash: issued.keyHash, userId, reason: 'revoked' }, context);
      throw error;
    }
    return issued;
  }

  /** @throws DomainError `api_key_not_found` */
  async revoke(revocation: Revocation, context: CommandContext): Promise<void> {
    const data = { ...revocation, revokedAt: instant(this.clock) };
    const stream = apiKeyStream(revocation.keyHash);
    await this.streams.apiKeys.run(stream, { type: 'RevokeApiKey', data }, context);
    this.authenticator.invalidate();
  }
}
