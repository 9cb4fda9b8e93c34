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
    let hasHandled = false;
    await this.history?.begin();
    for await (const turn of turnsOf(events)) {
      for (const event of turn) {
        if (!this.#types.has(event.type)) continue;
        // Most documents are in memory: waiting for nothing would take longer than the fold.
        const loading = this.#apply(event, changed);
        if (loading) await loading;
        this.#handled = event;
        hasHandled = true;
      }
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

  /** Applies the event at once as long as its documents are in memory; then loads the others. */
  #apply(recorded: RecordedEvent, changed: Changes): Promise<void> | null {
    const event = this.codec.revive(recorded);
    const { position } = recorded;
    const keys = keysOf(this.projection, event);
    for (const [index, key] of keys.entries()) {
      const held = this.#held(key, changed);
      if (!held) return this.#loadAndFold(event, position, keys.slice(index), changed);
      this.#fold(event, position, key, held, changed);
    }
    return null;
  }

  async #loadAndFold(
    event: DomainEvent,
    position: Position,
    keys: readonly string[],
    changed: Changes,
  ): Promise<void> {
    for (const key of keys) {
      const held = this.#held(key, changed) ?? (await this.readStore.get(this.collection, key));
      this.#fold(event, position, key, held ?? ABSENT, changed);
    }
  }

  #held(key: string, changed: Changes): Held | undefined {
    return changed.get(key) ?? this.#cache.get(key);
  }

  #fold(event: DomainEvent, position: Position, key: string, held: Held, changed: Changes): void {
    if (position <= held.position) return;
    const before = held.document ?? (this.projection.initial(key) as object);
    const document = this.projection.project(event, before, key) as object | null;
    // A document that the fold returns unchanged is not written again.
    if (document === held.document) return;
    this.history?.changed(key, held, document, position);
    changed.set(key, { document, position });
  }
}

/** Documents that a batch has changed, by key. */
type Changes = Map<string, Held>;

const ABSENT: Held = { document: null, position: 0n };

const keysOf = (projection: AnyProjection, event: DomainEvent): readonly string[] =>
  projection.keys(event);
