import { type Logger } from 'pino';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type AnyProjection } from '#platform/kernel/projection.js';
import {
  type ListOptions,
  type ReadStore,
  type StoredDocument,
} from '#platform/read-store/read-store.port.js';
import { type EventCodec } from './event-codec.js';
import { collectionOf, type Generation, Generations } from './generations.js';
import { LogReader, type LogReaderStatus, type Place } from './log-reader.js';
import { ProjectionFollower } from './projection-follower.js';
import { StoredPlace } from './stored-place.js';
import { lagOf, type StoredProjection, storedProjection } from './stored-projections.js';

export { type StoredProjection } from './stored-projections.js';

/** A read model is so far behind that an answer would not show the caller's own write. */
export class ProjectionLaggingError extends Error {
  override readonly name = 'ProjectionLaggingError';
}

/** How long a query waits for the read model to reach the log's head. */
const REACH_TIMEOUT_MS = 5_000;
/** How often a rebuild that another process finished is looked for; a query looks by itself. */
const ADOPT_EVERY_MS = 500;
/** How often the progress of a build is looked at. */
const PROGRESS_EVERY_MS = 250;

interface Deployed {
  readonly projection: AnyProjection;
  generation: Generation;
  place: Place;
}

export interface ProjectionStatus extends LogReaderStatus {
  readonly projection: string;
  readonly version: number;
  readonly generation: number;
  /** The log's head less its position; "0" where nothing in between concerns it. */
  readonly lag: string;
  /** How long the oldest event that concerns it has waited to be in its documents. */
  readonly lagMs: number;
}

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
 * Runs every projection, or follows what another process builds of them, and answers from that as of
 * the log's head when asked.
 *
 * A rebuild folds from zero into a collection of its own beside the one that serves; when it has
 * caught up, the pointer in the read store is moved, every process adopts it, and the old collection
 * is dropped. A query that read from a collection which was replaced meanwhile reads again.
 *
 * A new version of a projection is built the same way, but its predecessor's documents have another
 * shape, so until it has caught up its queries wait or fail with `ProjectionLaggingError`. The
 * predecessor stays until the next start, for processes that still run the older build.
 */
export class Projections {
  readonly #deployed = new Map<string, Deployed>();
  readonly #generations: Generations;
  /** Where what is built here is written; undefined while another process builds. */
  #writable: ReadStore | undefined;
  /** Readers of rebuilds that do not serve yet. */
  readonly #building = new Set<LogReader>();
  /** Work that nobody waits for but `stop`. */
  readonly #background = new Set<Promise<void>>();
  #adopting: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    private readonly projections: readonly AnyProjection[],
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
    private readonly codec: EventCodec,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.#generations = new Generations(readStore);
  }

  /** Runs every projection in this process, until `follow` or `stop`. */
  async start(readStore: ReadStore = this.readStore): Promise<void> {
    this.#writable = readStore;
    await this.#deployAll();
    const adoptAll = () => void this.#inBackground(this.#adoptAll());
    this.#adopting = setInterval(adoptAll, ADOPT_EVERY_MS).unref();
  }

  /** Runs none, and answers from what another process builds. */
  async follow(): Promise<void> {
    this.#writable = undefined;
    clearInterval(this.#adopting);
    // Asks no store for anything: one that is away may be why nothing runs here any more.
    const running = [...this.#deployed.values()];
    await Promise.all(running.map((deployed) => this.#move(deployed, deployed.generation)));
    await Promise.all(this.#background);
    if (running.length === 0) await this.#deployAll();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#adopting);
    const places = [...this.#deployed.values()].map(({ place }) => place);
    await Promise.all([...places, ...this.#building].map((place) => place.stop()));
    await Promise.all(this.#background);
  }

  async get<Document extends object>(
    projection: AnyProjection,
    key: string,
  ): Promise<Found<Document>> {
    const { answer, position } = await this.#ask(projection, (collection) =>
      this.readStore.get<Document>(collection, key),
    );
    return { document: answer?.document, position };
  }

  async list<Document extends object>(
    projection: AnyProjection,
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

  async status(): Promise<readonly ProjectionStatus[]> {
    return Promise.all([...this.#deployed.values()].map((deployed) => this.#statusOf(deployed)));
  }

  /** Reads the checkpoints; needs no `start`, so that any process may ask. */
  async stored(): Promise<readonly StoredProjection[]> {
    return Promise.all(
      this.projections.map((projection) =>
        storedProjection(projection, this.#generations, this.readStore, this.eventStore),
      ),
    );
  }

  /**
   * Needs no `start`. Resolves when the new generation serves and the old one is gone; what
   * `onProgress` throws ends the rebuild and leaves everything as it was.
   * @throws RangeError for an unknown name; Error when an event stops the build
   */
  async rebuild(name: string, onProgress?: (status: LogReaderStatus) => void): Promise<void> {
    const projection = this.projections.find((one) => one.name === name);
    if (!projection) throw new RangeError(`no projection is called ${name}`);
    const next = await this.#generations.claim(projection);
    try {
      await this.#build(this.#reader(projection, next, this.readStore), onProgress);
    } catch (error) {
      await this.#generations.drop(name, next);
      throw error;
    }
    const replaced = await this.#generations.serving(name);
    await this.#generations.serve(name, next, replaced ?? null);
    const deployed = this.#deployed.get(name);
    if (deployed) await this.#adopt(deployed);
    // A later rebuild may have been faster: then it is this one that nobody needs.
    const serving = await this.#generations.serving(name);
    const gone = serving?.generation === next.generation ? replaced : next;
    if (gone) await this.#generations.drop(name, gone);
  }

  async #build(
    reader: LogReader,
    onProgress: ((status: LogReaderStatus) => void) | undefined,
  ): Promise<void> {
    this.#building.add(reader);
    reader.start();
    try {
      const caughtUp = await this.#untilCaughtUp(reader, (status) => {
        onProgress?.(status);
        if (status.phase === 'stopped') {
          throw new Error(`${status.name} stopped: ${status.failure ?? ''}`);
        }
      });
      if (!caughtUp) throw new Error(`${reader.status().name} was interrupted`);
    } finally {
      await reader.stop();
      this.#building.delete(reader);
    }
  }

  async #statusOf(deployed: Deployed): Promise<ProjectionStatus> {
    // Nobody may have asked this process for anything since another one has rebuilt it.
    if (!this.#writable) await this.#adopt(deployed);
    const { projection, generation, place } = deployed;
    const status = await place.status();
    const { positions, since } = await lagOf(projection, this.eventStore, status.position);
    const lagMs = since === null ? 0 : Math.max(0, this.clock.now() - Date.parse(since));
    return { ...status, ...generation, projection: projection.name, lag: String(positions), lagMs };
  }

  async #deployAll(): Promise<void> {
    for (const projection of this.projections) await this.#deploy(projection);
  }

  async #deploy(projection: AnyProjection): Promise<void> {
    const { name, version } = projection;
    const serving = await this.#generations.serving(name);
    const serves = serving?.version === version;
    const generation = serves ? serving : await this.#generations.first(projection);
    const deployed = this.#deployed.get(name);
    if (deployed) await this.#move(deployed, generation);
    else this.#add(projection, generation);
    if (!this.#writable) return;
    if (!serves) void this.#inBackground(this.#introduce(name, generation), name);
    else if (serving.replaced) await this.#generations.drop(name, serving.replaced);
  }

  #add(projection: AnyProjection, generation: Generation): void {
    const place = this.#place(projection, generation);
    this.#deployed.set(projection.name, { projection, generation, place });
    place.start();
  }

  async #move(deployed: Deployed, generation: Generation): Promise<void> {
    const { place: before } = deployed;
    deployed.generation = generation;
    deployed.place = this.#place(deployed.projection, generation);
    deployed.place.start();
    await before.stop();
  }

  /** Makes the first build of a version the one that serves, when it has caught up. */
  async #introduce(name: string, generation: Generation): Promise<void> {
    const place = this.#deployed.get(name)?.place;
    if (!place || !(await this.#untilCaughtUp(place))) return;
    const replaced = await this.#generations.serving(name);
    await this.#generations.serve(name, generation, replaced ?? null);
  }

  async #adoptAll(): Promise<void> {
    const serving = await this.#generations.allServing();
    const adopted = [...this.#deployed].map(([name, deployed]) =>
      this.#inBackground(this.#adoptServing(deployed, serving.get(name)), name),
    );
    await Promise.all(adopted);
  }

  async #adopt(deployed: Deployed): Promise<void> {
    await this.#adoptServing(deployed, await this.#generations.serving(deployed.projection.name));
  }

  /** Moves on to a newer generation that serves by now; queries wait until it is read to the end. */
  async #adoptServing(deployed: Deployed, serving: Generation | undefined): Promise<void> {
    const { name, version } = deployed.projection;
    if (this.#stopped || serving?.version !== version) return;
    const { generation: old } = deployed;
    if (serving.generation <= old.generation) return;
    await this.#move(deployed, serving);
    // Whoever dropped it did not know that this process was still writing.
    if (this.#writable) await this.#generations.drop(name, old);
  }

  /**
   * Resolves when it is over, however it ended.
   * @param projection its name, or undefined for all of them
   */
  #inBackground(work: Promise<void>, projection?: string): Promise<void> {
    const settled = work
      .catch((error: unknown) => {
        this.logger.error({ err: error, projection }, 'a projection could not be switched');
      })
      .finally(() => this.#background.delete(settled));
    this.#background.add(settled);
    return settled;
  }

  #place(projection: AnyProjection, generation: Generation): Place {
    if (this.#writable) return this.#reader(projection, generation, this.#writable);
    const collection = collectionOf(projection.name, generation);
    return new StoredPlace(projection, collection, this.eventStore, this.readStore);
  }

  #reader(projection: AnyProjection, generation: Generation, readStore: ReadStore): LogReader {
    const collection = collectionOf(projection.name, generation);
    const follower = new ProjectionFollower(projection, collection, readStore, this.codec);
    return new LogReader(follower, this.eventStore, this.clock, this.logger);
  }

  /** Resolves to false when the reader was stopped before. */
  async #untilCaughtUp(
    reader: Place,
    onProgress?: (status: LogReaderStatus) => void,
  ): Promise<boolean> {
    for (;;) {
      const reached = await reader.reach(await this.eventStore.head(), PROGRESS_EVERY_MS);
      const status = await reader.status();
      onProgress?.(status);
      if (reached || status.phase === 'closed') return reached;
    }
  }

  /** Reads when everything that is in the log now is in the documents. */
  async #ask<Answer>(
    projection: AnyProjection,
    read: (collection: string) => Promise<Answer>,
  ): Promise<{ readonly answer: Answer; readonly position: Position }> {
    const { name } = projection;
    const deployed = this.#deployed.get(name);
    if (!deployed) throw new RangeError(`no projection is called ${name}`);
    const head = await this.eventStore.head();
    const endsAt = performance.now() + REACH_TIMEOUT_MS;
    for (;;) {
      const { place, generation } = deployed;
      const left = endsAt - performance.now();
      if (left <= 0) throw new ProjectionLaggingError(`${name} has not reached position ${head}`);
      const reached = await place.reach(head, Math.min(left, ADOPT_EVERY_MS));
      if (deployed.place !== place) continue;
      if (!reached) {
        // What is waited for may have been replaced by a rebuild in another process.
        await this.#adopt(deployed);
        continue;
      }
      const position = place.position > head ? place.position : head;
      const answer = await read(collectionOf(name, generation));
      if (await this.#isCurrent(deployed, generation)) return { answer, position };
      await this.#adopt(deployed);
    }
  }

  /** A collection may be dropped as soon as a newer one of the same version serves. */
  async #isCurrent(
    { projection: { name, version } }: Deployed,
    { generation }: Generation,
  ): Promise<boolean> {
    const serving = await this.#generations.serving(name);
    return serving?.version !== version || serving.generation <= generation;
  }
}
