import {
  type CollectionName,
  type ListOptions,
  type ReadStore,
  type StoredDocument,
} from './read-store.port.js';

export const PAGE = 1_000;

/** With it behind, a key is the next one that there may be: keys have no NUL. */
const LOWEST_CHARACTER = '\u0001';

/** The first key that there may be behind a key. */
export const keyAfter = (key: string): string => key + LOWEST_CHARACTER;

/** The limit is the size of a page. */
export type DocumentRange = Omit<ListOptions, 'offset'>;

/** The rest of a range behind a key, in its direction. */
export const restAfter = <Range extends DocumentRange>(key: string, range: Range): Range =>
  range.direction === 'backwards' ? { ...range, before: key } : { ...range, from: keyAfter(key) };

/**
 * Every document of a range, in its direction, in pages.
 * @param list one page of the documents
 */
export async function* documentPages<
  Document extends object,
  Listed extends { readonly documents: readonly StoredDocument<Document>[] },
>(
  list: (options: ListOptions) => Promise<Listed>,
  range: DocumentRange = {},
): AsyncGenerator<Listed, void, void> {
  const { limit = PAGE } = range;
  let options: ListOptions = { ...range, limit };
  for (;;) {
    const page = await list(options);
    yield page;
    const last = page.documents.at(-1);
    if (last === undefined || page.documents.length < limit) return;
    options = restAfter(last.key, options);
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
