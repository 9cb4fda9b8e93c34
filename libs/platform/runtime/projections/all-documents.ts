import { type ProjectionTo } from '#platform/kernel/projection.js';
import { documentPages, type DocumentRange } from '#platform/read-store/document-pages.js';
import { type DocumentReader, type Listed } from './document-reader.js';

type Lists = Pick<DocumentReader, 'list'>;

/**
 * Every document of a range of a projection, in the order of keys, in pages. Later pages may be
 * newer than earlier ones: each document says how new it is.
 */
export const projectionPages = <Document extends object>(
  reader: Lists,
  projection: ProjectionTo<Document>,
  range?: DocumentRange,
): AsyncGenerator<Listed<Document>, void, void> =>
  documentPages((options) => reader.list(projection, options), range);

/** All pages of `projectionPages` as one list, with the position of the first page. */
export const allDocuments = async <Document extends object>(
  reader: Lists,
  projection: ProjectionTo<Document>,
  range?: DocumentRange,
): Promise<Listed<Document>> => {
  const pages = await Array.fromAsync(projectionPages(reader, projection, range));
  const [first] = pages;
  if (!first) throw new Error(`no page of ${projection.name}`);
  return { documents: pages.flatMap(({ documents }) => documents), position: first.position };
};
