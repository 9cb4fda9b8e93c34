import { type Position } from '#platform/event-store/event-store.port.js';
import { type AnyProjection, type ProjectionTo } from '#platform/kernel/projection.js';
import { type ListOptions, type StoredDocument } from '#platform/read-store/read-store.port.js';

export interface Found<Document> {
  readonly document: Document | undefined;
  /** The log position that the answer reflects. */
  readonly position: Position;
}

export interface Listed<Document> {
  readonly documents: readonly StoredDocument<Document>[];
  readonly position: Position;
}

/** Documents as they are now, or as they were at one state of the log. */
export interface DocumentReader {
  /** The instant that is "now" in the answers, in epoch milliseconds. */
  readonly readAt: number;

  get<Document extends object>(
    projection: ProjectionTo<Document>,
    key: string,
  ): Promise<Found<Document>>;

  list<Document extends object>(
    projection: ProjectionTo<Document>,
    options: ListOptions,
  ): Promise<Listed<Document>>;

  count(projection: AnyProjection, prefix: string): Promise<number>;
}
