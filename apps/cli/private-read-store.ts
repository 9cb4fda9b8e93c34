import { type Position } from '#platform/event-store/event-store.port.js';
import {
  checkCollection,
  checkKey,
  checkList,
  type CheckedList,
  encodeCommit,
  LIMIT_MAX,
} from '#platform/read-store/read-store.checks.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import {
  type Checkpoint,
  type CollectionName,
  type ListOptions,
  type ReadStore,
  type ReadStoreCommit,
  type StoredDocument,
} from '#platform/read-store/read-store.port.js';

interface Held {
  /** Null after a deletion. */
  readonly json: string | null;
  readonly position: Position;
}

/** Writes of this process to one collection. */
interface Collection {
  /** True hides the documents of the store beneath. */
  readonly dropped: boolean;
  readonly documents: Map<string, Held>;
}

/** The writes that a private read store keeps in memory. */
export class PrivateLayer {
  readonly collections = new Map<CollectionName, Collection>();
  readonly checkpoints = new Map<string, Position>();
  /** The events that this process committed with them. */
  readonly events = new Map<string, string>();
  readonly droppedCheckpoints = new Set<string>();
  /** The latest lease with which this process saved each checkpoint. */
  readonly fences = new Map<string, bigint>();

  collection(name: CollectionName): Collection {
    const known = this.collections.get(name);
    if (known) return known;
    const collection = { dropped: false, documents: new Map() };
    this.collections.set(name, collection);
    return collection;
  }
}

/**
 * A layer in memory over a read store. Reads see both, and the later version of a document wins;
 * writes stay in memory. Projections on it continue from the checkpoints of a server, up to the log
 * head, and never write the read models that the server writes.
 */
export class PrivateReadStore implements ReadStore {
  #closed = false;

  constructor(
    private readonly beneath: ReadStore,
    private readonly layer = new PrivateLayer(),
  ) {}

  async get<Document extends object>(
    collection: CollectionName,
    key: string,
  ): Promise<StoredDocument<Document> | undefined> {
    this.#expectOpen();
    checkCollection(collection);
    checkKey(key);
    const { dropped } = this.layer.collection(collection);
    const below = dropped ? undefined : await this.beneath.get<Document>(collection, key);
    const held = this.layer.collection(collection).documents.get(key);
    return held && held.position >= (below?.position ?? 0n) ? shown<Document>(key, held) : below;
  }

  async list<Document extends object>(
    collection: CollectionName,
    options: ListOptions = {},
  ): Promise<readonly StoredDocument<Document>[]> {
    this.#expectOpen();
    checkCollection(collection);
    const list = checkList(options);
    const { dropped, documents } = this.layer.collection(collection);
    const covering = [...documents].filter(([key]) => isWithin(list, key));
    // Each document in memory hides at most one document beneath.
    const count = list.offset + list.limit + covering.length;
    const below = dropped ? [] : await this.#below<Document>(collection, options, count);
    const found = new Map(below.map((document) => [document.key, document]));
    for (const [key, held] of covering) {
      if (held.position < (found.get(key)?.position ?? 0n)) continue;
      const document = shown<Document>(key, held);
      if (document) found.set(key, document);
      else found.delete(key);
    }
    const forwards = [...found.values()].sort((one, other) => inByteOrder(one.key, other.key));
    const ordered = list.direction === 'forwards' ? forwards : forwards.reverse();
    return ordered.slice(list.offset, list.offset + list.limit);
  }

  async count(collection: CollectionName, prefix = ''): Promise<number> {
    this.#expectOpen();
    checkCollection(collection);
    const list = checkList({ prefix });
    const { dropped, documents } = this.layer.collection(collection);
    let count = dropped ? 0 : await this.beneath.count(collection, prefix);
    for (const key of documents.keys()) {
      if (!isWithin(list, key)) continue;
      const below = dropped ? undefined : await this.beneath.get(collection, key);
      if (below) count -= 1;
      if (await this.get(collection, key)) count += 1;
    }
    return count;
  }

  async commit(commit: ReadStoreCommit): Promise<void> {
    this.#expectOpen();
    const writes = encodeCommit(commit);
    this.#raiseFence(commit.checkpoint);
    const guards = await Promise.all(
      writes.map(({ collection, key }) => this.#positionBelow(collection, key)),
    );
    for (const [index, { collection, key, json, position }] of writes.entries()) {
      const { documents } = this.layer.collection(collection);
      const guard = documents.get(key)?.position ?? guards[index];
      if (guard === undefined || position > guard) documents.set(key, { json, position });
    }
    const { checkpoint } = commit;
    if (!checkpoint) return;
    const { name, position, event } = checkpoint;
    const reached = this.layer.checkpoints.get(name) ?? 0n;
    if (event !== undefined && position >= reached) this.layer.events.set(name, event);
    if (position > (this.layer.checkpoints.get(name) ?? -1n)) {
      this.layer.checkpoints.set(name, position);
    }
  }

  async checkpoint(name: string): Promise<Position | undefined> {
    this.#expectOpen();
    const below = this.layer.droppedCheckpoints.has(name)
      ? undefined
      : await this.beneath.checkpoint(name);
    const held = this.layer.checkpoints.get(name);
    return held !== undefined && held >= (below ?? 0n) ? held : below;
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    this.#expectOpen();
    const { checkpoints, droppedCheckpoints, events } = this.layer;
    const below = (await this.beneath.checkpoints()).filter(
      ({ name }) => !droppedCheckpoints.has(name),
    );
    const found = new Map(below.map((checkpoint) => [checkpoint.name, checkpoint]));
    for (const [name, position] of checkpoints) {
      const there = found.get(name);
      if (there && there.position > position) continue;
      found.set(name, { name, position, event: events.get(name) ?? there?.event ?? null });
    }
    return [...found.values()];
  }

  drop(collection: CollectionName, checkpoint: string): Promise<void> {
    return Promise.resolve().then(() => {
      this.#expectOpen();
      checkCollection(collection);
      checkKey(checkpoint);
      this.layer.collections.set(collection, { dropped: true, documents: new Map() });
      this.layer.checkpoints.delete(checkpoint);
      this.layer.events.delete(checkpoint);
      this.layer.fences.delete(checkpoint);
      this.layer.droppedCheckpoints.add(checkpoint);
    });
  }

  /** Does not close the store beneath, which another component opened. */
  close(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }

  #expectOpen(): void {
    if (this.#closed) throw new ReadStoreError('store-unavailable', 'the read store is closed');
  }

  #raiseFence(checkpoint: ReadStoreCommit['checkpoint']): void {
    if (checkpoint?.fence === undefined) return;
    const { name, fence } = checkpoint;
    if (fence < (this.layer.fences.get(name) ?? 0n)) {
      throw new ReadStoreError('fenced-off', `a later lease than ${fence} has saved ${name}`);
    }
    this.layer.fences.set(name, fence);
  }

  async #positionBelow(collection: CollectionName, key: string): Promise<Position | undefined> {
    if (this.layer.collection(collection).dropped) return undefined;
    return (await this.beneath.get(collection, key))?.position;
  }

  /** The first documents of the store beneath, page by page. */
  async #below<Document extends object>(
    collection: CollectionName,
    options: ListOptions,
    count: number,
  ): Promise<readonly StoredDocument<Document>[]> {
    const found: StoredDocument<Document>[] = [];
    while (found.length < count) {
      const limit = Math.min(count - found.length, LIMIT_MAX);
      const page = { ...options, limit, offset: found.length };
      const documents = await this.beneath.list<Document>(collection, page);
      found.push(...documents);
      if (documents.length < limit) break;
    }
    return found;
  }
}

const inByteOrder = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

const isWithin = ({ atOrAfter, before }: CheckedList, key: string): boolean =>
  atOrAfter.every((bound) => inByteOrder(key, bound) >= 0) &&
  before.every((bound) => bound === null || inByteOrder(key, bound) < 0);

/** The port guarantees the type: a collection holds documents of one shape. */
const shown = <Document extends object>(
  key: string,
  { json, position }: Held,
): StoredDocument<Document> | undefined =>
  json === null ? undefined : { key, document: JSON.parse(json) as Document, position };
