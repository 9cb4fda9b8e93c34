import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type FilePurpose } from '#events/files/file.events.js';
import { type StoredDocument } from '#platform/read-store/read-store.port.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  filesOfAccount,
  keyIn,
  type ListedFile,
  type ListKey,
  prefixOf,
} from '#projections/files/files-of-account.projection.js';
import { StoredFiles } from './stored-files.js';

export type NamedFile = Omit<ListedFile, 'sealedName'> & { readonly name: string };

export interface FilePage {
  readonly files: readonly NamedFile[];
  readonly hasMore: boolean;
}

/** A page of the files of an account. */
export class ListFilesQuery extends Query<FilePage> {
  constructor(
    readonly accountId: string,
    readonly page: {
      /** Null: files of every purpose. */
      readonly purpose: FilePurpose | null;
      readonly order: 'asc' | 'desc';
      /** 1 to `LIST_LIMIT_MAX`; fewer are listed where some have just expired. */
      readonly limit: number;
      /** The file after which the page starts; null: the first page. */
      readonly after: string | null;
    },
  ) {
    super();
  }
}

/** As many as the read store lists. */
export const LIST_LIMIT_MAX = 10_000;

@QueryHandler(ListFilesQuery)
export class ListFilesHandler implements IQueryHandler<ListFilesQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly files: StoredFiles,
  ) {}

  /** @throws DomainError `file_not_found` for an `after` that is no file of the account */
  async execute({ accountId, page }: ListFilesQuery): Promise<FilePage> {
    const { purpose, order, limit, after } = page;
    const list = { accountId, purpose };
    const afterKey = after === null ? null : keyIn(list, await this.files.find(after, list));
    const documents = await this.#list(list, order, limit, afterKey);
    const last = documents.length < limit ? undefined : documents.at(-1);
    const rest = last ? await this.#list(list, order, 1, last.key) : [];
    const named = await Promise.all(documents.map(({ document }) => this.#named(document)));
    return { files: named.filter((file) => file !== null), hasMore: rest.length > 0 };
  }

  async #list(
    list: ListKey,
    order: 'asc' | 'desc',
    limit: number,
    after: string | null,
  ): Promise<readonly StoredDocument<ListedFile>[]> {
    const { documents } = await this.projections.list(filesOfAccount, {
      prefix: prefixOf(list),
      direction: order === 'asc' ? 'forwards' : 'backwards',
      limit,
      ...(after !== null && past(after, order)),
    });
    return documents;
  }

  /** Null: the file has expired, or its user was erased. */
  async #named({ sealedName, ...file }: ListedFile): Promise<NamedFile | null> {
    if (this.files.isExpired(file)) return null;
    const name = await this.files.nameOf(file.userId, sealedName);
    return name === null ? null : { ...file, name };
  }
}

/** No key starts with another, so a key and one more character come right after the key. */
const past = (
  key: string,
  order: 'asc' | 'desc',
): { readonly from: string } | { readonly before: string } =>
  order === 'asc' ? { from: `${key}!` } : { before: key };
