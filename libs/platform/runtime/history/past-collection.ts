import { type Position } from '#platform/event-store/event-store.port.js';
import { type DomainEvent, type ProjectionTo, typesOf } from '#platform/kernel/projection.js';
import {
  type DocumentRange,
  keyAfter,
  restAfter,
  storedPages,
} from '#platform/read-store/document-pages.js';
import { checkList } from '#platform/read-store/read-store.checks.js';
import {
  type ListOptions,
  type ReadStore,
  type StoredDocument,
} from '#platform/read-store/read-store.port.js';
import { type EventCodec } from '../commands/event-codec.js';
import { goneFrom, type VersionDocument, versionsOf, versionsPrefix } from './document-history.js';
import { positionKey } from './epochs.js';
import { type Stretch } from './log-times.js';

/** Keys of one page. */
const PAGE_MIN = 50;
const PAGE_MAX = 500;

interface Change {
  readonly event: DomainEvent;
  readonly position: Position;
}

type Stored<Document> = StoredDocument<Document> | undefined;

/**
 * The documents of one collection as they were at a position. A document that no later event has
 * changed is the one that is stored. Of another one the last kept state is found, and the events
 * of the position's epoch are folded into it.
 */
export class PastCollection<Document extends object> {
  readonly #changes: ReadonlyMap<string, readonly Change[]>;

  constructor(
    private readonly projection: ProjectionTo<Document>,
    private readonly collection: string,
    private readonly readStore: ReadStore,
    codec: EventCodec,
    /** The epoch of the position, up to the position. */
    private readonly stretch: Stretch,
  ) {
    this.#changes = changesIn(stretch, projection, codec);
  }

  async get(key: string): Promise<Stored<Document>> {
    // The stored document is read first: once it is overwritten, the history has its older state.
    return this.#past(key, await this.readStore.get<Document>(this.collection, key));
  }

  async list(options: ListOptions): Promise<readonly StoredDocument<Document>[]> {
    const { limit, offset } = checkList(options);
    const found: StoredDocument<Document>[] = [];
    let passed = 0;
    const pageLimit = Math.min(Math.max(offset + limit, PAGE_MIN), PAGE_MAX);
    for await (const page of this.#pages(options, pageLimit)) {
      for (const document of page) {
        passed += 1;
        if (passed > offset) found.push(document);
        if (found.length === limit) return found;
      }
    }
    return found;
  }

  async count(prefix: string): Promise<number> {
    let count = 0;
    for await (const page of this.#pages({ prefix }, PAGE_MAX)) count += page.length;
    return count;
  }

  /** Every document of the range, in its order. */
  async *#pages(
    { offset: _, ...range }: ListOptions,
    limit: number,
  ): AsyncGenerator<readonly StoredDocument<Document>[]> {
    let rest: DocumentRange = { ...range, limit };
    for await (const { documents } of storedPages<Document>(
      this.readStore,
      this.collection,
      rest,
    )) {
      const last = documents.length === limit ? documents.at(-1)?.key : undefined;
      // After the stored ones: a document that is deleted meanwhile is in the page.
      const gone = await this.#goneIn(last === undefined ? rest : upTo(last, rest));
      const stored = new Map(documents.map((document) => [document.key, document]));
      const keys = [...new Set([...stored.keys(), ...gone])].sort(byBytes);
      if (range.direction === 'backwards') keys.reverse();
      const past = await Promise.all(keys.map((key) => this.#past(key, stored.get(key))));
      yield past.filter((document) => document !== undefined);
      if (last !== undefined) rest = restAfter(last, rest);
    }
  }

  async #goneIn({ direction: _, ...range }: DocumentRange): Promise<readonly string[]> {
    const gone: string[] = [];
    const collection = goneFrom(this.collection);
    const pages = storedPages(this.readStore, collection, { ...range, limit: PAGE_MAX });
    for await (const { documents } of pages) gone.push(...documents.map(({ key }) => key));
    return gone;
  }

  async #past(key: string, stored: Stored<Document>): Promise<Stored<Document>> {
    if (stored && stored.position <= this.stretch.position) return stored;
    const kept = await this.#kept(key);
    const changes = this.#changes.get(key) ?? [];
    const later = changes.filter(({ position }) => position > (kept?.position ?? 0n));
    const document = this.#fold(key, (kept?.document.document ?? null) as Document | null, later);
    const position = later.at(-1)?.position ?? kept?.position ?? 0n;
    return document === null ? undefined : { key, document, position };
  }

  /** The last state at or before the position that was kept. */
  async #kept(key: string): Promise<StoredDocument<VersionDocument> | undefined> {
    const prefix = versionsPrefix(key);
    const before = prefix + positionKey(this.stretch.position + 1n);
    const range = { prefix, before, direction: 'backwards', limit: 1 } as const;
    const [kept] = await this.readStore.list<VersionDocument>(versionsOf(this.collection), range);
    return kept;
  }

  #fold(key: string, kept: Document | null, changes: readonly Change[]): Document | null {
    const { initial, project } = this.projection;
    return changes.reduce<Document | null>(
      (document, { event }) => project(event, document ?? initial(key), key),
      kept,
    );
  }
}

const changesIn = <Document extends object>(
  { events }: Stretch,
  { on, keys }: ProjectionTo<Document>,
  codec: EventCodec,
): ReadonlyMap<string, readonly Change[]> => {
  const types = new Set(typesOf(on));
  const changes = new Map<string, Change[]>();
  for (const recorded of events) {
    if (!types.has(recorded.type)) continue;
    const change = { event: codec.revive(recorded), position: recorded.position };
    for (const key of new Set(keys(change.event))) {
      const its = changes.get(key);
      if (its) its.push(change);
      else changes.set(key, [change]);
    }
  }
  return changes;
};

/** The part of a range up to a key and with it, in its direction. */
const upTo = (key: string, range: DocumentRange): DocumentRange =>
  range.direction === 'backwards' ? { ...range, from: key } : { ...range, before: keyAfter(key) };

const byBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));
