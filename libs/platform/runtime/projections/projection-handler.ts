import {
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type AnyProjection, type DomainEvent, typesOf } from '#platform/kernel/projection.js';
import { type DocumentWrite, type ReadStore } from '#platform/read-store/read-store.port.js';
import { type EventCodec } from '../commands/event-codec.js';
import { type DocumentHistory, type Held } from '../history/document-history.js';
import {
  checkpointAt,
  SavedCheckpoint,
  type SubscriptionHandler,
} from '../subscriptions/subscription-handler.js';
import { turnsOf } from '../subscriptions/turns.js';

/** Documents kept in memory between batches by the one writer of their collection. */
const DOCUMENTS_KEPT_MAX = 10_000;

const LOADED_AT_ONCE = 32;

/**
 * Owns idempotence: each document has one writer, and documents and checkpoint are saved in one
 * write. Within a batch a document is written once, after all its events, and not at all when none
 * of them has changed it.
 */
export class ProjectionHandler implements SubscriptionHandler {
  readonly name: string;
  readonly types: readonly string[];
  readonly #types: ReadonlySet<string>;
  /** The ones that were read or made first are the first ones. */
  readonly #documents = new Map<string, HeldDocument>();
  #saved = new SavedCheckpoint(0n);
  #handled: RecordedEvent | undefined;

  constructor(
    private readonly projection: AnyProjection,
    /** The collection and the checkpoint's name: one for each generation of the projection. */
    private readonly collection: string,
    private readonly readStore: ReadStore,
    private readonly codec: EventCodec,
    /** Keeps earlier documents; without it, past states are folded from the first event. */
    private readonly history?: DocumentHistory,
  ) {
    this.name = collection;
    this.types = typesOf(projection.on);
    this.#types = new Set(this.types);
  }

  async checkpoint(): Promise<Position | undefined> {
    // After a failed commit they may be other documents than in the store.
    this.#documents.clear();
    const checkpoint = await this.readStore.checkpoint(this.collection);
    this.#saved = new SavedCheckpoint(checkpoint ?? 0n);
    await this.history?.open(checkpoint);
    return checkpoint;
  }

  async handle({ events, position }: SubscriptionBatch): Promise<void> {
    const changed: HeldDocument[] = [];
    let handled: RecordedEvent | undefined;
    await this.history?.begin();
    for await (const turn of turnsOf(events)) {
      const waiting: Change[] = [];
      for (const recorded of turn) {
        if (!this.#types.has(recorded.type)) continue;
        const event = this.codec.revive(recorded);
        for (const key of keysOf(this.projection, event)) {
          const document = this.#open(key);
          // Most documents are in memory. After one that is not, changes wait for their turn.
          if (waiting.length === 0 && document.isLoaded)
            this.#fold(event, recorded, document, changed);
          else waiting.push({ event, recorded, document });
        }
        handled = recorded;
      }
      if (waiting.length > 0) await this.#load(waiting);
      for (const { event, recorded, document } of waiting) {
        this.#fold(event, recorded, document, changed);
      }
    }
    if (!handled && !this.#saved.isFarBehind(position)) return;
    this.#handled = handled ?? this.#handled;
    const { collection } = this;
    const writes = changed.map(({ key, document, position: at }): DocumentWrite => ({
      collection,
      key,
      document,
      position: at,
    }));
    const checkpoint = checkpointAt(collection, position, this.#handled);
    await this.history?.save();
    await this.readStore.commit({ writes, checkpoint });
    this.#saved.saved(position);
    for (const document of changed) document.isChanged = false;
    this.#forgetSome();
  }

  /** Saves how far the handler has come: the next run does not look for its events again. */
  async settle(position: Position): Promise<void> {
    if (this.#saved.isAt(position)) return;
    const checkpoint = checkpointAt(this.collection, position, this.#handled);
    await this.readStore.commit({ writes: [], checkpoint });
    this.#saved.saved(position);
  }

  #open(key: string): HeldDocument {
    // One event writes it, whatever it was before, and no other one needs it.
    if (this.projection.isWrittenWhole) return new HeldDocument(key, true);
    const known = this.#documents.get(key);
    if (known) return known;
    const document = new HeldDocument(key, false);
    this.#documents.set(key, document);
    return document;
  }

  /** Several at a time: a page may have thousands of documents, each a round trip. */
  async #load(waiting: readonly Change[]): Promise<void> {
    const missing = new Set<HeldDocument>();
    for (const { document } of waiting) if (!document.isLoaded) missing.add(document);
    const documents = [...missing];
    for (let from = 0; from < documents.length; from += LOADED_AT_ONCE) {
      const some = documents.slice(from, from + LOADED_AT_ONCE).map(async (document) => {
        document.load(await this.readStore.get(this.collection, document.key));
      });
      await Promise.all(some);
    }
  }

  #fold(
    event: DomainEvent,
    { position }: RecordedEvent,
    held: HeldDocument,
    changed: HeldDocument[],
  ): void {
    if (position <= held.position) return;
    const before = held.document ?? (this.projection.initial(held.key) as object);
    const document = this.projection.project(event, before, held.key) as object | null;
    // A document that the fold returns unchanged is not written again.
    if (document === held.document) return;
    this.history?.changed(held.key, held, document, position);
    if (!held.isChanged) changed.push(held);
    held.change(document, position);
  }

  #forgetSome(): void {
    for (const key of this.#documents.keys()) {
      if (this.#documents.size <= DOCUMENTS_KEPT_MAX) return;
      this.#documents.delete(key);
    }
  }
}

/** A document in memory. */
class HeldDocument implements Held {
  document: object | null = null;
  position: Position = 0n;
  /** Since it was last written. */
  isChanged = false;

  /** @param isLoaded whether it is as in the store, or need not be */
  constructor(
    readonly key: string,
    public isLoaded: boolean,
  ) {}

  /** @param stored undefined where the store has none */
  load(stored: Held | undefined): void {
    this.document = stored?.document ?? null;
    this.position = stored?.position ?? 0n;
    this.isLoaded = true;
  }

  change(document: object | null, position: Position): void {
    this.document = document;
    this.position = position;
    this.isChanged = true;
  }
}

/** An event, and a document that it changes. */
interface Change {
  readonly event: DomainEvent;
  readonly recorded: RecordedEvent;
  readonly document: HeldDocument;
}

const keysOf = (projection: AnyProjection, event: DomainEvent): readonly string[] =>
  projection.keys(event);
