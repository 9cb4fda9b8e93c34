import {
  type CollectionName,
  type ListOptions,
  type ReadStore,
  type StoredDocument,
} from './read-store.port.js';

export const PAGE = 1_000;

/** With it behind, a key is the next one that there may be: keys have no NUL. */
const LOWEST_CHARACTER = '\u0001';

export type DocumentRange = Pick<ListOptions, 'prefix' | 'from' | 'before'>;

/**
 * Every document of a range, in the order of keys, in pages.
 * @param list one page of the documents
 */
export async function* documentPages<
  Document extends object,
  Listed extends { readonly documents: readonly StoredDocument<Document>[] },
>(
  list: (options: ListOptions) => Promise<Listed>,
  range: DocumentRange = {},
): AsyncGenerator<Listed, void, void> {
  let options: ListOptions = { ...range, limit: PAGE };
  for (;;) {
    const page = await list(options);
    yield page;
    const last = page.documents.at(-1);
    if (last === undefined || page.documents.length < PAGE) return;
    options = { ...options, from: last.key + LOWEST_CHARACTER };
  }
}

/** As `documentPages`, of a collection. */
export const storedPages = <Document extends object>(
  readStore: Pick<ReadStore, 'list'>,
  collection: CollectionName,
  range?: DocumentRange,
) =>
  documentPages(
    async (options) => ({ documents: await readStore.list<Document>(collection, options) }),
    range,
  );
