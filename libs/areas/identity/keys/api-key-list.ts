import { Inject, Injectable } from '@nestjs/common';
import { type UserId } from '#events/vocabulary.js';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import {
  apiKeyKey,
  apiKeys,
  apiKeysOf,
  type ListedApiKey,
} from '#projections/identity/api-keys.projection.js';
import { IdentityStreams, sessionStream, userStream } from '../identity.streams.js';
import { keyIdOf } from '../authentication/credentials.js';
import { reject } from '../identity.errors.js';

/** Sorts after every hash, because a key that expires at this instant has expired. */
const AFTER_HASHES = '~';

export interface ActiveKeys {
  readonly keys: readonly ListedApiKey[];
  /** The log position that the list reflects. */
  readonly position: bigint;
}

/** The active keys of a user. */
@Injectable()
export class ApiKeyList {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly streams: IdentityStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Newest first. */
  async activeOf(userId: UserId): Promise<ActiveKeys> {
    const keys: ListedApiKey[] = [];
    const from = apiKeyKey(userId, instant(this.clock), AFTER_HASHES);
    const range = { prefix: apiKeysOf(userId), from };
    const { documents, position } = await allDocuments(this.projections, apiKeys, range);
    const { state: user } = await this.streams.users.stateOf(userStream(userId));
    const since = user.status === 'registered' ? user.passwordChangedAt : null;
    const now = instant(this.clock);
    for (const { document } of documents) {
      const { endsAt } = document;
      if (endsAt !== null && endsAt <= now) continue;
      if (await this.#sessionRuns(document, since)) keys.push(document);
    }
    keys.sort((one, other) => (one.issuedAt < other.issuedAt ? 1 : -1));
    return { keys, position };
  }

  /** @throws DomainError `api_key_not_found` */
  async find(userId: UserId, keyId: string): Promise<ListedApiKey> {
    const { keys } = await this.activeOf(userId);
    const found = keys.find(({ keyHash }) => keyIdOf(keyHash) === keyId);
    return found ?? reject('api_key_not_found', 'there is no such key');
  }

  /** @param since older sessions are invalid; null: none are */
  async #sessionRuns({ sessionId }: ListedApiKey, since: string | null): Promise<boolean> {
    if (sessionId === null) return true;
    const { state } = await this.streams.sessions.stateOf(sessionStream(sessionId));
    return state.status === 'active' && (since === null || state.startedAt >= since);
  }
}
