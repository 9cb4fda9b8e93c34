import { type ProjectionTo } from '#platform/kernel/projection.js';
import { type ListOptions } from '#platform/read-store/read-store.port.js';
import { type DocumentReader, type Listed } from './document-reader.js';

export interface PageOf extends Pick<ListOptions, 'direction'> {
  /** Default: every document. */
  readonly prefix?: string;
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}

export interface NumberedPage<Document> extends Listed<Document> {
  /** The documents of all pages. */
  readonly total: number;
}

/** A page of the documents of a projection by its number. */
export const numberedPage = async <Document extends object>(
  reader: Pick<DocumentReader, 'list' | 'count'>,
  projection: ProjectionTo<Document>,
  { page, limit, prefix = '', ...options }: PageOf,
): Promise<NumberedPage<Document>> => {
  const range = { ...options, prefix, limit, offset: (page - 1) * limit };
  const listed = await reader.list(projection, range);
  return { ...listed, total: await reader.count(projection, prefix) };
};
