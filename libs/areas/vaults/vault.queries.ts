import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { isBlobGone } from '#platform/blobs/blobs.errors.js';
import { type ItemPage, type PageOfItems, pageOfItems } from '#platform/kernel/item-page.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { vaultsOfAccount, vaultsPrefix } from '#projections/vaults/vaults-of-account.projection.js';
import { Clearances, type VaultCaller } from './clearances.js';
import { decodeHead } from './document-content.js';
import { type DocumentLabel, type VaultLabel } from './labels.js';
import { textOf } from './marking.js';
import { StoredVaults } from './stored-vaults.js';
import { isRotating, type VaultDocument, visibleIn } from './vault.decider.js';
import { documentNotFound } from './vaults.errors.js';
import { VAULT_SETTINGS, type VaultSettings } from './vaults.settings.js';

export interface ShownVault {
  readonly vaultId: string;
  /** Null once its user was erased. */
  readonly name: string | null;
  readonly metadata: VaultLabel['metadata'];
  readonly model: string;
  readonly createdAt: string;
}

/** With what its caller may see. */
export interface ShownVaultDetail extends ShownVault {
  readonly clearance: string;
  readonly documents: number;
  readonly chunks: number;
  readonly textBytes: number;
  readonly storedBytes: number;
  readonly keyGeneration: number;
  readonly isRotating: boolean;
}

export interface ShownDocument {
  readonly documentId: string;
  readonly fileId: string | null;
  readonly label: DocumentLabel;
  readonly marking: string;
  readonly chunks: number;
  readonly textBytes: number;
  readonly storedBytes: number;
  readonly ingestedAt: string;
}

const NO_NAME = { name: null, metadata: {} };

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** A page of the vaults of an account, newest first. */
export class VaultsQuery extends Query<Page<ShownVault> & { readonly position: bigint }> {
  constructor(
    readonly accountId: string,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(VaultsQuery)
export class VaultsHandler implements IQueryHandler<VaultsQuery> {
  constructor(
    private readonly vaults: StoredVaults,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list' | 'count'>,
  ) {}

  async execute({ accountId, page, limit }: VaultsQuery) {
    const asked = { prefix: vaultsPrefix(accountId), direction: 'backwards', page, limit } as const;
    const found = await numberedPage(this.projections, vaultsOfAccount, asked);
    const items = await Promise.all(
      found.documents.map(async ({ document }) => {
        const { vaultId, userId, sealedLabel, model, createdAt } = document;
        const label = await this.vaults.vaultLabelOf(userId, sealedLabel);
        return { vaultId, ...NO_NAME, ...label, model, createdAt };
      }),
    );
    return { items, total: found.total, position: found.position };
  }
}

export class VaultQuery extends Query<ShownVaultDetail> {
  constructor(
    readonly vaultId: string,
    readonly caller: VaultCaller,
  ) {
    super();
  }
}

@QueryHandler(VaultQuery)
export class VaultHandler implements IQueryHandler<VaultQuery> {
  constructor(
    private readonly vaults: StoredVaults,
    private readonly clearances: Clearances,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /** @throws DomainError `vault_not_found` */
  async execute({ vaultId: asked, caller }: VaultQuery): Promise<ShownVaultDetail> {
    const state = await this.vaults.find(asked, caller.accountId);
    const clearance = await this.clearances.of(caller);
    const documents = visibleIn(state, { clearance, words: this.settings.words });
    const { vaultId, userId, sealedLabel, model, createdAt } = state.vault;
    return {
      ...{ vaultId, model, createdAt, clearance: textOf(clearance) },
      ...NO_NAME,
      ...(await this.vaults.vaultLabelOf(userId, sealedLabel)),
      documents: documents.length,
      chunks: documents.reduce((sum, { chunks }) => sum + chunks, 0),
      textBytes: documents.reduce((sum, { textBytes }) => sum + textBytes, 0),
      storedBytes: documents.reduce((sum, { storedBytes }) => sum + storedBytes, 0),
      keyGeneration: state.keyGeneration,
      isRotating: isRotating(state),
    };
  }
}

/** A page of the documents that the caller may see, newest first. */
export class VaultDocumentsQuery extends Query<Page<ShownDocument>> {
  constructor(
    readonly vaultId: string,
    readonly caller: VaultCaller,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

/** The documents that the caller may see as the files of a vector store. */
export class VaultFilesQuery extends Query<PageOfItems<ShownDocument> | 'after' | 'before'> {
  constructor(
    readonly vaultId: string,
    readonly caller: VaultCaller,
    readonly page: ItemPage,
  ) {
    super();
  }
}

/** The id by which a vector store knows a document. */
export const storeFileIdOf = ({
  fileId,
  documentId,
}: Pick<ShownDocument, 'fileId' | 'documentId'>): string => fileId ?? documentId;

/** A document, by its id or the id of its file. Above the clearance of the caller it is absent. */
export class VaultDocumentQuery extends Query<ShownDocument> {
  constructor(
    readonly vaultId: string,
    readonly documentId: string,
    readonly caller: VaultCaller,
  ) {
    super();
  }
}

/** The text of a document, in its chunks. */
export class VaultDocumentTextQuery extends Query<ShownDocumentText> {
  constructor(
    readonly vaultId: string,
    readonly documentId: string,
    readonly caller: VaultCaller,
  ) {
    super();
  }
}

export interface ShownDocumentText {
  readonly chunks: readonly string[];
}

/** The bytes of each document that the caller may see, by its id. */
export class StoredBytesQuery extends Query<ReadonlyMap<string, number>> {
  constructor(
    readonly vaultId: string,
    readonly caller: VaultCaller,
  ) {
    super();
  }
}

type OfDocument = Pick<VaultDocumentQuery, 'vaultId' | 'documentId' | 'caller'>;

abstract class DocumentReader {
  constructor(
    protected readonly vaults: StoredVaults,
    private readonly clearances: Clearances,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
  ) {}

  protected async visible(vaultId: string, caller: VaultCaller) {
    const state = await this.vaults.find(vaultId, caller.accountId);
    const sight = { clearance: await this.clearances.of(caller), words: this.settings.words };
    return { vaultId: state.vault.vaultId, documents: visibleIn(state, sight) };
  }

  /** @throws DomainError `vault_not_found`, `vault_document_not_found` */
  protected async one({ vaultId: asked, documentId, caller }: OfDocument) {
    const { vaultId, documents } = await this.visible(asked, caller);
    const id = documentId.toLowerCase();
    const document = documents.find((one) => one.documentId === id || one.fileId === id);
    return { vaultId, document: document ?? documentNotFound() };
  }

  protected async shown(vaultId: string, document: VaultDocument): Promise<ShownDocument> {
    const { documentId, fileId, marking, chunks, textBytes, storedBytes, ingestedAt } = document;
    const label = await this.vaults.labelOf(vaultId, document);
    const sizes = { chunks, textBytes, storedBytes };
    return { documentId, fileId, label, marking: textOf(marking), ...sizes, ingestedAt };
  }
}

@QueryHandler(VaultDocumentsQuery)
export class VaultDocumentsHandler
  extends DocumentReader
  implements IQueryHandler<VaultDocumentsQuery>
{
  /** @throws DomainError `vault_not_found` */
  async execute({ vaultId: asked, caller, page, limit }: VaultDocumentsQuery) {
    const { vaultId, documents } = await this.visible(asked, caller);
    const shown = documents.toReversed().slice((page - 1) * limit, page * limit);
    const items = await Promise.all(shown.map((document) => this.shown(vaultId, document)));
    return { items, total: documents.length };
  }
}

@QueryHandler(VaultFilesQuery)
export class VaultFilesHandler extends DocumentReader implements IQueryHandler<VaultFilesQuery> {
  /** @throws DomainError `vault_not_found` */
  async execute({ vaultId: asked, caller, page }: VaultFilesQuery) {
    const { vaultId, documents } = await this.visible(asked, caller);
    const found = pageOfItems(documents, storeFileIdOf, page);
    if (typeof found === 'string') return found;
    const items = await Promise.all(found.items.map((one) => this.shown(vaultId, one)));
    return { ...found, items };
  }
}

@QueryHandler(VaultDocumentQuery)
export class VaultDocumentHandler
  extends DocumentReader
  implements IQueryHandler<VaultDocumentQuery>
{
  /** @throws DomainError `vault_not_found`, `vault_document_not_found` */
  async execute(query: VaultDocumentQuery) {
    const { vaultId, document } = await this.one(query);
    return this.shown(vaultId, document);
  }
}

@QueryHandler(StoredBytesQuery)
export class StoredBytesHandler extends DocumentReader implements IQueryHandler<StoredBytesQuery> {
  /** @throws DomainError `vault_not_found` */
  async execute({ vaultId, caller }: StoredBytesQuery) {
    const { documents } = await this.visible(vaultId, caller);
    return new Map(documents.map(({ documentId, storedBytes }) => [documentId, storedBytes]));
  }
}

@QueryHandler(VaultDocumentTextQuery)
export class VaultDocumentTextHandler
  extends DocumentReader
  implements IQueryHandler<VaultDocumentTextQuery>
{
  /** @throws DomainError `vault_not_found`, `vault_document_not_found` */
  async execute(query: VaultDocumentTextQuery) {
    const { vaultId, document } = await this.one(query);
    try {
      return decodeHead(await this.vaults.head(vaultId, document));
    } catch (error) {
      if (!isBlobGone(error)) throw error;
      // It was deleted meanwhile.
      return documentNotFound();
    }
  }
}
