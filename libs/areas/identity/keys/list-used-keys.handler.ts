import { type IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type KeyUse, KeyUses } from './key-uses.port.js';
import { ListApiKeysQuery, type ListedKeyView } from './list-api-keys.handler.js';

export interface UsedKeyView extends ListedKeyView, KeyUse {}

export interface UsedKeysView {
  readonly keys: readonly UsedKeyView[];
  readonly position: bigint;
}

/** The active keys of a user with their use, newest first. A key and its successor share theirs. */
export class ListUsedKeysQuery extends Query<UsedKeysView> {
  constructor(readonly userId: UserId) {
    super();
  }
}

const UNUSED: KeyUse = { lastUsedAt: null, chargedMicroUsd: 0n };

@QueryHandler(ListUsedKeysQuery)
export class ListUsedKeysHandler implements IQueryHandler<ListUsedKeysQuery> {
  constructor(
    private readonly queries: QueryBus,
    private readonly uses: KeyUses,
  ) {}

  async execute({ userId }: ListUsedKeysQuery): Promise<UsedKeysView> {
    const { keys, position } = await this.queries.execute(new ListApiKeysQuery(userId));
    const uses = await this.uses.of(userId);
    return {
      keys: keys.map((key) => ({ ...key, ...(uses.get(key.lineage) ?? UNUSED) })),
      position,
    };
  }
}
