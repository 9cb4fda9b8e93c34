import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type KeyKind } from '#events/identity/identity.vocabulary.js';
import { type KeyPolicy } from '#events/identity/key-policy.vocabulary.js';
import { type KeyOwner, type ListedApiKey } from '#projections/identity/api-keys.projection.js';
import { keyIdOf } from '../authentication/credentials.js';
import { ApiKeyList } from './api-key-list.js';
import { PersonalData } from '../users/personal-data.js';

/** A key without its secret, which is not stored. */
export interface ApiKeyView {
  readonly id: string;
  readonly kind: KeyKind;
  readonly name: string;
  readonly policy: KeyPolicy;
  readonly sessionId: string | null;
  /** ISO 8601 UTC. */
  readonly issuedAt: string;
  readonly expiresAt: string | null;
  /** Absent where answers to the key are not kept. */
  readonly cacheSeconds?: number;
}

export const keptFor = (cacheSeconds: number | undefined): Pick<ApiKeyView, 'cacheSeconds'> =>
  cacheSeconds === undefined ? {} : { cacheSeconds };

/** A listed key, and the id under which budgets count it. */
export interface ListedKeyView extends ApiKeyView {
  readonly lineage: string;
  readonly userId: number;
}

export interface ApiKeysView {
  readonly keys: readonly ListedKeyView[];
  readonly position: bigint;
}

/** The active keys of a user's own account, or of a team, newest first. */
export class ListApiKeysQuery extends Query<ApiKeysView> {
  constructor(readonly owner: KeyOwner) {
    super();
  }
}

@QueryHandler(ListApiKeysQuery)
export class ListApiKeysHandler implements IQueryHandler<ListApiKeysQuery> {
  constructor(
    private readonly list: ApiKeyList,
    private readonly personalData: PersonalData,
  ) {}

  async execute({ owner }: ListApiKeysQuery): Promise<ApiKeysView> {
    const { keys, position } = await this.list.activeOf(owner);
    return { keys: await Promise.all(keys.map((key) => this.#view(key))), position };
  }

  async #view({
    keyHash,
    keyKind,
    userId,
    sealedName,
    lineage = keyIdOf(keyHash),
    ...rest
  }: ListedApiKey): Promise<ListedKeyView> {
    const { policy, sessionId, issuedAt, endsAt: expiresAt, cacheSeconds } = rest;
    const name = (await this.personalData.open(userId, 'api-key-name', sealedName)) ?? '';
    const id = keyIdOf(keyHash);
    const times = { issuedAt, expiresAt, ...keptFor(cacheSeconds) };
    return { id, kind: keyKind, name, policy, sessionId, lineage, userId, ...times };
  }
}
