import {
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type AnyProjection, type DomainEvent, typesOf } from '#platform/kernel/projection.js';
import { type DocumentWrite, type ReadStore } from '#platform/read-store/read-store.port.js';
import { type EventCodec } from '../commands/event-codec.js';
import { growingCache } from './growing-cache.js';
import { type DocumentHistory, type Held } from '../history/document-history.js';
import {
  checkpointAt,
  SavedCheckpoint,
  type SubscriptionHandler,
} from '../subscriptions/subscription-handler.js';
import { turnsOf } from '../subscriptions/turns.js';

/** Documents cached in memory by the one writer of their collection. */
const DOCUMENTS_CACHED_MAX = 10_000;

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
  readonly #cache = growingCache<Held>(DOCUMENTS_CACHED_MAX);
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
    // After a failed commit the cache may hold documents that the store does not.
    this.#cache.clear();
    const checkpoint = await this.readStore.checkpoint(this.collection);
    this.#saved = new SavedCheckpoint(checkpoint ?? 0n);
    await this.history?.open(checkpoint);
    return checkpoint;
  }

  async handle({ events, position }: SubscriptionBatch): Promise<void> {
    const changed: Changes = new Map();
    const loaded: Changes = new Map();
    let hasHandled = false;
    await this.history?.begin();
    for await (const turn of turnsOf(events)) {
      const own = turn.filter(({ type }) => this.#types.has(type));
      const changes = own.map((event) => this.#changeOf(event));
      const missing = changes
        .flatMap(({ keys }) => keys)
        .filter((key) => !this.#held(key, changed) && !loaded.has(key));
      // Most documents are in memory: waiting for nothing would take longer than the fold.
      if (missing.length > 0) await this.#load([...new Set(missing)], loaded);
      for (const change of changes) this.#fold(change, changed, loaded);
      this.#handled = own.at(-1) ?? this.#handled;
      hasHandled ||= own.length > 0;
    }
    if (!hasHandled && !this.#saved.isFarBehind(position)) return;
    const { collection } = this;
    const writes: DocumentWrite[] = [...changed].map(([key, held]) => ({
      collection,
      key,
      ...held,
    }));
    const checkpoint = checkpointAt(collection, position, this.#handled);
    await this.history?.save();
    await this.readStore.commit({ writes, checkpoint });
    this.#saved.saved(position);
    for (const [key, held] of changed) this.#cache.set(key, held);
  }

  /** Saves how far the handler has come: the next run does not look for its events again. */
  async settle(position: Position): Promise<void> {
    if (this.#saved.isAt(position)) return;
    const checkpoint = checkpointAt(this.collection, position, this.#handled);
    await this.readStore.commit({ writes: [], checkpoint });
    this.#saved.saved(position);
  }

  #changeOf(recorded: RecordedEvent): Change {
    const event = this.codec.revive(recorded);
    return { event, position: recorded.position, keys: keysOf(this.projection, event) };
  }

  /** Several at a time: a page may have thousands of documents, each a round trip. */
  async #load(keys: readonly string[], loaded: Changes): Promise<void> {
    if (this.projection.isWrittenWhole) return;
    for (let from = 0; from < keys.length; from += LOADED_AT_ONCE) {
      const some = keys.slice(from, from + LOADED_AT_ONCE).map(async (key) => {
        const held = await this.readStore.get(this.collection, key);
        loaded.set(key, held ?? ABSENT);
      });
      await Promise.all(some);
    }
  }

  #held(key: string, changed: Changes): Held | undefined {
    return changed.get(key) ?? this.#cache.get(key);
  }

  #fold({ event, position, keys }: Change, changed: Changes, loaded: Changes): void {
    for (const key of keys) {
      const held = this.#held(key, changed) ?? loaded.get(key) ?? ABSENT;
      if (position <= held.position) continue;
      const before = held.document ?? (this.projection.initial(key) as object);
      const document = this.projection.project(event, before, key) as object | null;
      // A document that the fold returns unchanged is not written again.
      if (document === held.document) continue;
      this.history?.changed(key, held, document, position);
      changed.set(key, { document, position });
    }
  }
}

/** Documents that a batch has changed, by key. */
type Changes = Map<string, Held>;

/** An event, and the keys of the documents that it changes. */
interface Change {
  readonly event: DomainEvent;
  readonly position: Position;
  readonly keys: readonly string[];
}

const ABSENT: Held = { document: null, position: 0n };

const keysOf = (projection: AnyProjection, event: DomainEvent): readonly string[] =>
  projection.keys(event);
