import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type AnyProjection, type ProjectionTo } from '#platform/kernel/projection.js';
import {
  type ListOptions,
  type ReadStore,
  type StoredDocument,
} from '#platform/read-store/read-store.port.js';
import { type EventCodec } from '../commands/event-codec.js';
import { type DocumentReader, type Found, type Listed } from '../projections/document-reader.js';
import { type AsOf, AsOfError, type LogMoment } from './as-of.js';
import { epochsOfHistory } from './document-history.js';
import { type Epochs, epochsOf } from './epochs.js';
import { type LogPlaces } from './log-places.js';
import { type LogTimes, type Stretch } from './log-times.js';
import { PastCollection } from './past-collection.js';

/** The documents were built without their history. */
export class HistoryMissingError extends Error {
  override readonly name = 'HistoryMissingError';
}

/** The sources that a past state is read from. */
export interface PastSources {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  /** Of the same stores. */
  readonly times: LogTimes;
  readonly places: LogPlaces;
  readonly codec: EventCodec;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Reads the serving collection of a projection once it has every event up to a position. */
  readonly ask: <Answer>(
    projection: AnyProjection,
    upTo: Position,
    read: (collection: string) => Promise<Answer>,
  ) => Promise<Answer>;
}

/** Documents as they were at one state of the log. */
export class PastDocuments implements DocumentReader {
  /** The epoch of the position, by the length of the epochs: histories may differ in it. */
  readonly #stretches = new Map<bigint, Promise<Stretch>>();

  private constructor(
    private readonly moment: LogMoment,
    private readonly sources: PastSources,
  ) {}

  /** @throws AsOfError for a position beyond the head and for an instant in the future */
  static async open(asOf: AsOf, sources: PastSources): Promise<PastDocuments> {
    if ('instant' in asOf) return PastDocuments.#openAt(asOf.instant, sources);
    const position = 'size' in asOf ? await sizedAt(asOf.size, sources) : asOf.position;
    const head = await sources.eventStore.head();
    if (position > head) throw new AsOfError(`asOf ${position}: the log ends at position ${head}`);
    const epochs = await epochsOf(sources.eventStore);
    const nothing = new PastDocuments({ position, at: 0 }, sources);
    if (position === 0n || epochs === undefined) return nothing;
    const { at } = await nothing.#stretch(epochs);
    return new PastDocuments({ position, at: Date.parse(at) || 0 }, sources);
  }

  static async #openAt(instant: string, sources: PastSources): Promise<PastDocuments> {
    const at = Date.parse(instant);
    if (Number.isNaN(at)) throw new AsOfError(`asOf ${instant} is not an instant`);
    if (at > sources.now) throw new AsOfError(`asOf ${instant} is in the future`);
    const position = await sources.times.positionAt(new Date(at).toISOString());
    return new PastDocuments({ position, at }, sources);
  }

  /** Every event up to here belongs to the state, and no other one. */
  get position(): Position {
    return this.moment.position;
  }

  get readAt(): number {
    return this.moment.at;
  }

  async get<Document extends object>(
    projection: ProjectionTo<Document>,
    key: string,
  ): Promise<Found<Document>> {
    const found = await this.#ask(projection, (past) => past.get(key), undefined);
    return { document: found?.document, position: this.moment.position };
  }

  async list<Document extends object>(
    projection: ProjectionTo<Document>,
    options: ListOptions,
  ): Promise<Listed<Document>> {
    const none: readonly StoredDocument<Document>[] = [];
    const documents = await this.#ask(projection, (past) => past.list(options), none);
    return { documents, position: this.moment.position };
  }

  count(projection: AnyProjection, prefix: string): Promise<number> {
    return this.#ask(projection, (past) => past.count(prefix), 0);
  }

  async #ask<Document extends object, Answer>(
    projection: ProjectionTo<Document>,
    read: (past: PastCollection<Document>) => Promise<Answer>,
    nothing: Answer,
  ): Promise<Answer> {
    const { position } = this.moment;
    if (position === 0n) return nothing;
    return this.sources.ask(projection, position, async (collection) => {
      const past = await this.#collection(projection, collection);
      return past ? read(past) : nothing;
    });
  }

  /** Undefined where no event has been handled. */
  async #collection<Document extends object>(
    projection: ProjectionTo<Document>,
    collection: string,
  ): Promise<PastCollection<Document> | undefined> {
    const { readStore, codec } = this.sources;
    const epochs = await epochsOfHistory(readStore, collection);
    if (epochs === undefined) {
      if (((await readStore.checkpoint(collection)) ?? 0n) === 0n) return undefined;
      throw new HistoryMissingError(`${projection.name} keeps no history until it is rebuilt`);
    }
    const stretch = await this.#stretch(epochs);
    return new PastCollection(projection, collection, readStore, codec, stretch);
  }

  #stretch(epochs: Epochs): Promise<Stretch> {
    const known = this.#stretches.get(epochs.length);
    if (known) return known;
    const stretch = this.sources.times.upTo(this.moment.position, epochs);
    this.#stretches.set(epochs.length, stretch);
    return stretch;
  }
}

const sizedAt = async (size: bigint, { places }: PastSources): Promise<Position> => {
  const position = await places.positionAt(size);
  if (position !== undefined) return position;
  throw new AsOfError(`asOf ${size}: the log has fewer events`);
};
