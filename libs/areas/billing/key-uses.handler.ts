import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { keyUse, keyUsesOf } from '#projections/billing/key-use.projection.js';

export interface UseOfKey {
  /** ISO 8601 UTC; null: not yet. */
  readonly lastUsedAt: string | null;
  readonly chargedMicroUsd: MicroUsd;
}

/** The paid use of the keys of an account, by the id under which budgets count a key. */
export class KeyUsesQuery extends Query<ReadonlyMap<string, UseOfKey>> {
  constructor(readonly accountId: string) {
    super();
  }
}

@QueryHandler(KeyUsesQuery)
export class KeyUsesHandler implements IQueryHandler<KeyUsesQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Projections) {}

  async execute({ accountId }: KeyUsesQuery): Promise<ReadonlyMap<string, UseOfKey>> {
    const prefix = keyUsesOf(accountId);
    const { documents } = await allDocuments(this.projections, keyUse, { prefix });
    return new Map(
      documents.map(({ key, document: { lastUsedAt, charged } }) => [
        key.slice(prefix.length),
        { lastUsedAt, chargedMicroUsd: fromDecimal(charged) },
      ]),
    );
  }
}
