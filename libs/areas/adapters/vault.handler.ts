import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  adaptersOfAccount,
  prefixOf,
} from '#projections/adapters/adapters-of-account.projection.js';
import { AdapterVault, uploadedEntry, type VaultEntry } from './adapter-vault.js';
import { ADAPTER_SETTINGS, type AdapterSettings } from './adapters.settings.js';

export interface VaultFilter {
  /** Null: every one. */
  readonly category: string | null;
  readonly baseModel: string | null;
}

export interface VaultPage {
  readonly adapters: readonly VaultEntry[];
  readonly total: number;
  readonly position: bigint;
}

/** A page of the adapters that an account may use, by slug. */
export class VaultQuery extends Query<VaultPage> {
  constructor(
    readonly accountId: string,
    readonly filter: VaultFilter,
    readonly page: { readonly page: number; readonly limit: number },
    /** Of the uploaded ones; undefined: as they are now. */
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(VaultQuery)
export class VaultHandler implements IQueryHandler<VaultQuery> {
  constructor(
    private readonly vault: AdapterVault,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(ADAPTER_SETTINGS) private readonly settings: Pick<AdapterSettings, 'adaptersMax'>,
  ) {}

  async execute({
    accountId,
    filter,
    page: { page, limit },
    asOf,
  }: VaultQuery): Promise<VaultPage> {
    const reader = await this.projections.at(asOf);
    const { documents, position } = await reader.list(adaptersOfAccount, {
      prefix: prefixOf(accountId),
      limit: this.settings.adaptersMax,
    });
    const uploaded = documents.map(({ document }) => uploadedEntry(document));
    const all = [...(await this.vault.shippedEntries()), ...uploaded]
      .filter(({ category }) => filter.category === null || category === filter.category)
      .filter(({ baseModel }) => filter.baseModel === null || baseModel === filter.baseModel)
      .sort((one, other) => (one.slug < other.slug ? -1 : 1));
    const from = (page - 1) * limit;
    return { adapters: all.slice(from, from + limit), total: all.length, position };
  }
}

/** One adapter that an account may use. */
export class VaultAdapterQuery extends Query<VaultEntry> {
  constructor(
    readonly accountId: string,
    /** Its id or its slug. */
    readonly asked: string,
  ) {
    super();
  }
}

@QueryHandler(VaultAdapterQuery)
export class VaultAdapterHandler implements IQueryHandler<VaultAdapterQuery> {
  constructor(private readonly vault: AdapterVault) {}

  /** @throws DomainError `adapter_not_found`, also for the adapter of another account */
  async execute({ accountId, asked }: VaultAdapterQuery): Promise<VaultEntry> {
    return (await this.vault.find(accountId, asked)).entry;
  }
}
