import { Inject, Injectable } from '@nestjs/common';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import {
  apiKeyKey,
  apiKeys,
  apiKeysOf,
  type KeyOwner,
  type ListedApiKey,
} from '#projections/identity/api-keys.projection.js';
import { IdentityStreams, sessionStream, userStream } from '../identity.streams.js';
import { keyIdOf } from '../authentication/credentials.js';
import { reject } from '../identity.errors.js';
import { TeamMemberships } from './team-memberships.js';

/** Sorts after every hash, because a key that expires at this instant has expired. */
const AFTER_HASHES = '~';

export interface ActiveKeys {
  readonly keys: readonly ListedApiKey[];
  /** The log position that the list reflects. */
  readonly position: bigint;
}

/** The active keys of a user's own account, or of a team. */
@Injectable()
export class ApiKeyList {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly streams: IdentityStreams,
    private readonly memberships: TeamMemberships,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Newest first. */
  async activeOf(owner: KeyOwner): Promise<ActiveKeys> {
    const keys: ListedApiKey[] = [];
    const from = apiKeyKey(owner, instant(this.clock), AFTER_HASHES);
    const range = { prefix: apiKeysOf(owner), from };
    const { documents, position } = await allDocuments(this.projections, apiKeys, range);
    const now = instant(this.clock);
    for (const { document } of documents) {
      const { endsAt } = document;
      if (endsAt !== null && endsAt <= now) continue;
      if ((await this.#sessionRuns(document)) && (await this.#isOfMember(document))) {
        keys.push(document);
      }
    }
    keys.sort((one, other) => (one.issuedAt < other.issuedAt ? 1 : -1));
    return { keys, position };
  }

  /** @throws DomainError `api_key_not_found` */
  async find(owner: KeyOwner, keyId: string): Promise<ListedApiKey> {
    const { keys } = await this.activeOf(owner);
    const found = keys.find(({ keyHash }) => keyIdOf(keyHash) === keyId);
    return found ?? reject('api_key_not_found', 'there is no such key');
  }

  /** A session that is older than the password is invalid. */
  async #sessionRuns({ sessionId, userId }: ListedApiKey): Promise<boolean> {
    if (sessionId === null) return true;
    const { state: user } = await this.streams.users.stateOf(userStream(userId));
    const since = user.status === 'registered' ? user.passwordChangedAt : null;
    const { state } = await this.streams.sessions.stateOf(sessionStream(sessionId));
    return state.status === 'active' && (since === null || state.startedAt >= since);
  }

  async #isOfMember({ membership, userId }: ListedApiKey): Promise<boolean> {
    if (!membership) return true;
    return (await this.memberships.find(membership))?.userId === userId;
  }
}
