import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type AnyProjection, type ProjectionTo } from '#platform/kernel/projection.js';
import {
  type ListOptions,
  type ReadStore,
  type StoredDocument,
} from '#platform/read-store/read-store.port.js';
import { collectionOf } from './generations.js';
import { ADOPT_EVERY_MS, type ProjectionHost } from './projection-host.js';

/** A read model is so far behind that an answer would not show the caller's own write. */
export class ProjectionLaggingError extends Error {
  override readonly name = 'ProjectionLaggingError';
}

/** How long a query waits for the read model to reach the log's head. */
const REACH_TIMEOUT_MS = 5_000;

export interface Found<Document> {
  readonly document: Document | undefined;
  /** The log position that the answer reflects. */
  readonly position: Position;
}

export interface Listed<Document> {
  readonly documents: readonly StoredDocument<Document>[];
  readonly position: Position;
}

/**
 * Answers queries from the documents of projections, as of the log's head when asked. The
 * projection determines the type of the documents. A query that read a collection which was
 * replaced meanwhile reads again.
 *
 * All methods throw `ProjectionLaggingError` when the documents do not reach the head in time, and
 * `RangeError` for a projection that no area declares.
 */
export class Projections {
  constructor(
    private readonly host: ProjectionHost,
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
  ) {}

  async get<Document extends object>(
    projection: ProjectionTo<Document>,
    key: string,
  ): Promise<Found<Document>> {
    const { answer, position } = await this.#ask(projection, (collection) =>
      this.readStore.get<Document>(collection, key),
    );
    return { document: answer?.document, position };
  }

  async list<Document extends object>(
    projection: ProjectionTo<Document>,
    options: ListOptions,
  ): Promise<Listed<Document>> {
    const { answer, position } = await this.#ask(projection, (collection) =>
      this.readStore.list<Document>(collection, options),
    );
    return { documents: answer, position };
  }

  async count(projection: AnyProjection, prefix: string): Promise<number> {
    const { answer } = await this.#ask(projection, (collection) =>
      this.readStore.count(collection, prefix),
    );
    return answer;
  }

  /** Reads once every event that is in the log now is in the documents. */
  async #ask<Answer>(
    projection: AnyProjection,
    read: (collection: string) => Promise<Answer>,
  ): Promise<{ readonly answer: Answer; readonly position: Position }> {
    const { name } = projection;
    this.host.serving(projection);
    const head = await this.eventStore.head();
    const endsAt = performance.now() + REACH_TIMEOUT_MS;
    for (;;) {
      const { progress, generation } = this.host.serving(projection);
      const left = endsAt - performance.now();
      if (left <= 0) throw new ProjectionLaggingError(`${name} has not reached position ${head}`);
      const reached = await progress.reach(head, Math.min(left, ADOPT_EVERY_MS));
      if (this.host.serving(projection).progress !== progress) continue;
      if (!reached) {
        // A rebuild in another process may have replaced this generation.
        await this.host.adopt(projection);
        continue;
      }
      const position = progress.position > head ? progress.position : head;
      const answer = await read(collectionOf(name, generation));
      if (await this.host.isCurrent(projection, generation)) return { answer, position };
      await this.host.adopt(projection);
    }
  }
}
