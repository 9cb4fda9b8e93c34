import { hash } from 'node:crypto';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type DocumentWrite, type ReadStore } from '#platform/read-store/read-store.port.js';
import { Epochs, epochsOf, positionKey } from './epochs.js';

/** A document, or its absence, and the last event that changed it. */
export interface Held {
  readonly document: object | null;
  readonly position: Position;
}

/** An earlier state of a document; null where it was deleted. */
export interface VersionDocument {
  readonly document: object | null;
}

/** Says that the history goes back to the first event, and in which epochs. */
interface OriginDocument {
  readonly epochLength: string;
}

/** The earlier states of the documents of a collection. */
export const versionsOf = (collection: string): string => `${collection}.past`;
/** The keys that a collection no longer has, or did not have for a while. */
export const goneFrom = (collection: string): string => `${collection}.gone`;

const ORIGIN = 'origin';

/** The prefix of the versions of one document. A hash, because a key may begin with another one. */
export const versionsPrefix = (key: string): string => `${hash('sha256', key, 'base64url')}/`;

export const versionKey = (key: string, position: Position): string =>
  versionsPrefix(key) + positionKey(position);

/** The epochs of a collection's history; undefined where it does not go back to the first event. */
export const epochsOfHistory = async (
  readStore: ReadStore,
  collection: string,
): Promise<Epochs | undefined> => {
  const origin = await readStore.get<OriginDocument>(versionsOf(collection), ORIGIN);
  return origin && new Epochs(BigInt(origin.document.epochLength));
};

/** Forgets the history of a collection. */
export const dropHistory = async (readStore: ReadStore, collection: string): Promise<void> => {
  const names = [versionsOf(collection), goneFrom(collection)];
  await Promise.all(names.map((name) => readStore.drop(name, name)));
};

/**
 * Keeps the documents of a collection as of the end of each epoch. A document is copied when
 * an event of a later epoch changes it for the first time, and a deletion is noted at once.
 *
 * The copies are saved before the documents that replace them, so that on every store a reader that
 * finds a newer document finds the older one too. The copies depend on the log alone: writing
 * it twice, or by two processes, changes nothing.
 */
export class DocumentHistory {
  readonly #versions: string;
  readonly #gone: string;
  #epochs: Epochs | undefined;
  /** No copies are kept of documents that were there before their history began. */
  #startsHere = false;
  #pending: DocumentWrite[] = [];

  constructor(
    private readonly collection: string,
    private readonly readStore: ReadStore,
    eventStore: EventStore,
    /** The epochs of a new history; by default the epochs of the log. */
    private readonly epochsWanted: () => Promise<Epochs | undefined> = () => epochsOf(eventStore),
  ) {
    this.#versions = versionsOf(collection);
    this.#gone = goneFrom(collection);
  }

  /** @param checkpoint where the handler continues; undefined or 0n from the first event */
  async open(checkpoint: Position | undefined): Promise<void> {
    this.#pending = [];
    this.#startsHere = (checkpoint ?? 0n) === 0n;
    this.#epochs = await epochsOfHistory(this.readStore, this.collection);
  }

  /** Before the first change of a batch. */
  async begin(): Promise<void> {
    if (this.#epochs !== undefined || !this.#startsHere) return;
    const epochs = await this.epochsWanted();
    if (epochs === undefined) return;
    const document: OriginDocument = { epochLength: epochs.length.toString() };
    const write = { collection: this.#versions, key: ORIGIN, document, position: 0n };
    await this.readStore.commit({ writes: [write] });
    this.#epochs = epochs;
  }

  /** An event at `position` turns the held document into `document`. */
  changed(key: string, held: Held, document: object | null, position: Position): void {
    const epochs = this.#epochs;
    if (epochs === undefined || held.document === null) return;
    if (epochs.of(held.position) < epochs.of(position)) this.#keep(key, held);
    if (document !== null) return;
    this.#keep(key, { document, position });
    this.#pending.push({ collection: this.#gone, key, document: {}, position });
  }

  /** Saves the copies; to be called before the documents are. */
  async save(): Promise<void> {
    if (this.#pending.length === 0) return;
    const writes = this.#pending;
    this.#pending = [];
    await this.readStore.commit({ writes });
  }

  #keep(key: string, { document, position }: Held): void {
    const version: VersionDocument = { document };
    const versions = { collection: this.#versions, key: versionKey(key, position) };
    this.#pending.push({ ...versions, document: version, position });
  }
}
