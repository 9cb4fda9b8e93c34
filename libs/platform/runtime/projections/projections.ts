import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type AnyProjection, type ProjectionTo } from '#platform/kernel/projection.js';
import { type ListOptions, type ReadStore } from '#platform/read-store/read-store.port.js';
import { type DocumentReader, type Found, type Listed } from './document-reader.js';
import { collectionOf } from './generations.js';
import { type LogTrust } from '../subscriptions/log-trust.js';
import { type LogProgress } from '../subscriptions/log-progress.js';
import { type AsOf } from '../history/as-of.js';
import { countedPlaces, type LogPlaces } from '../history/log-places.js';
import { LogTimes } from '../history/log-times.js';
import { PastDocuments, type PastSources } from '../history/past-documents.js';
import { ADOPT_EVERY_MS, type ProjectionHost } from './projection-host.js';

/** A read model is so far behind that an answer would not show the caller's own write. */
export class ProjectionLaggingError extends Error {
  override readonly name = 'ProjectionLaggingError';
}

/** How long a query waits for the read model to reach the log's head. */
const REACH_TIMEOUT_MS = 5_000;

export { type DocumentReader, type Found, type Listed } from './document-reader.js';

/**
 * Answers queries from the documents of projections, as of the log's head when asked. The
 * projection determines the type of the documents. A query that read a collection which was
 * replaced meanwhile reads again.
 *
 * All methods throw `ProjectionLaggingError` when the documents do not reach the head in time,
 * `ReadStoreError` `foreign-log` when they are not of this log, and `RangeError` for a projection
 * that no area declares.
 */
export class Projections {
  readonly #times: LogTimes;

  constructor(
    private readonly host: ProjectionHost,
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
    /** Whether the documents are of the log; without it they are taken for that. */
    private readonly trust?: LogTrust,
    private readonly places: LogPlaces = countedPlaces(() => eventStore.head()),
  ) {
    this.#times = new LogTimes(readStore, eventStore);
  }

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

  /**
   * A reader of the documents as they were at that state of the log, or as they are now.
   * @throws AsOfError for a position beyond the head and for an instant in the future
   */
  at(asOf: AsOf): Promise<PastDocuments>;
  at(asOf: AsOf | undefined): Promise<DocumentReader>;
  async at(asOf: AsOf | undefined): Promise<DocumentReader> {
    const now = this.host.clock.now();
    if (asOf !== undefined) {
      const { eventStore, readStore, places } = this;
      const ask: PastSources['ask'] = async (projection, upTo, read) =>
        (await this.#ask(projection, read, upTo)).answer;
      await this.trust?.expect();
      return PastDocuments.open(asOf, {
        eventStore,
        readStore,
        times: this.#times,
        places,
        codec: this.host.codec,
        now,
        ask,
      });
    }
    return {
      readAt: now,
      get: (projection, key) => this.get(projection, key),
      list: (projection, options) => this.list(projection, options),
      count: (projection, prefix) => this.count(projection, prefix),
    };
  }

  /** Reads once every event up to a position, by default all that are in the log now, is in. */
  async #ask<Answer>(
    projection: AnyProjection,
    read: (collection: string) => Promise<Answer>,
    upTo?: Position,
  ): Promise<{ readonly answer: Answer; readonly position: Position }> {
    const { name } = projection;
    this.host.serving(projection);
    await this.trust?.expect();
    const head = upTo ?? (await this.eventStore.head());
    const endsAt = performance.now() + REACH_TIMEOUT_MS;
    for (;;) {
      const { progress, generation } = this.host.serving(projection);
      const left = endsAt - performance.now();
      if (left <= 0) throw await lagging(name, head, progress);
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

const lagging = async (
  name: string,
  head: Position,
  progress: LogProgress,
): Promise<ProjectionLaggingError> => {
  const { failure } = await progress.status();
  const why = failure === null ? '' : `: ${failure}`;
  return new ProjectionLaggingError(`${name} has not reached position ${head}${why}`);
};
