import { Injectable } from '@nestjs/common';
import { type KeyPolicy } from '#events/identity/key-policy.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Credential } from '../authentication/caller.js';
import { apiKeyStream, IdentityStreams, userStream } from '../identity.streams.js';
import { reject } from '../identity.errors.js';
import { scopesOfRole } from './key-policy.js';

/** Who asks for a key: the credential of its user, or an operator at the command line. */
export type KeyIssuer = Pick<Credential, 'kind' | 'id' | 'policy'> | 'operator';

/** The most that a key may get from an issuer. */
export interface KeyBound {
  readonly policy: KeyPolicy;
  /** ISO 8601 UTC; null: it may be without an end. */
  readonly endsAt: string | null;
}

/** Reads what an issuer may give: no key gives more than it has. */
@Injectable()
export class KeyBounds {
  constructor(private readonly streams: IdentityStreams) {}

  /** @throws DomainError `user_not_found`, `api_key_not_found` */
  async of(issuer: KeyIssuer, userId: UserId): Promise<KeyBound> {
    if (issuer === 'operator') {
      const { state } = await this.streams.users.stateOf(userStream(userId));
      if (state.status !== 'registered') return reject('user_not_found', 'there is no such user');
      return { policy: { scopes: [...scopesOfRole(state.role)] }, endsAt: null };
    }
    if (issuer.kind === 'app_token' || issuer.kind === 'console_session') {
      return { policy: issuer.policy, endsAt: null };
    }
    const { state } = await this.streams.apiKeys.stateOf(apiKeyStream(issuer.id));
    if (state.status !== 'active') return reject('api_key_not_found', 'there is no such key');
    return { policy: state.policy, endsAt: state.endsAt };
  }
}
