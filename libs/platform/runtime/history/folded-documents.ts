import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import {
  type AnyProjection,
  type DomainEvent,
  type ProjectionTo,
  typesOf,
} from '#platform/kernel/projection.js';
import { checkList } from '#platform/read-store/read-store.checks.js';
import { type ListOptions, type StoredDocument } from '#platform/read-store/read-store.port.js';
import { type EventCodec } from '../commands/event-codec.js';
import { type DocumentReader, type Found, type Listed } from '../projections/document-reader.js';
import { type LogMoment } from './as-of.js';

/** Called with the position that was read after each page. */
type OnPage = (position: Position) => void;

interface Folding {
  readonly projection: AnyProjection;
  readonly types: ReadonlySet<string>;
  readonly documents: Map<string, StoredDocument<object>>;
}

/**
 * Documents that are folded in memory from the first event of the log up to a position. No read
 * store takes part: its documents can be compared with these.
 */
export class FoldedDocuments implements DocumentReader {
  private constructor(
    private readonly moment: LogMoment,
    private readonly foldings: readonly Folding[],
  ) {}

  static async fold(
    projections: readonly AnyProjection[],
    eventStore: EventStore,
    codec: EventCodec,
    moment: LogMoment,
    onPage: OnPage = () => undefined,
  ): Promise<FoldedDocuments> {
    const foldings = projections.map((projection): Folding => {
      const types = new Set(typesOf(projection.on));
      return { projection, types, documents: new Map() };
    });
    const folded = new FoldedDocuments(moment, foldings);
    const prefixes = [...new Set(foldings.flatMap(({ types }) => [...types]))];
    for await (const page of eventStore.readAll({ filter: { by: 'type', prefixes } })) {
      for (const recorded of page) {
        if (recorded.position > moment.position) return folded;
        const its = foldings.filter(({ types }) => types.has(recorded.type));
        if (its.length === 0) continue;
        const event = codec.revive(recorded);
        for (const folding of its) applyTo(folding, event, recorded.position);
      }
      onPage(page.at(-1)?.position ?? 0n);
    }
    return folded;
  }

  get readAt(): number {
    return this.moment.at;
  }

  get position(): Position {
    return this.moment.position;
  }

  get<Document extends object>(
    projection: ProjectionTo<Document>,
    key: string,
  ): Promise<Found<Document>> {
    const document = this.#of(projection).get(key)?.document;
    return Promise.resolve({ document, position: this.moment.position });
  }

  list<Document extends object>(
    projection: ProjectionTo<Document>,
    options: ListOptions,
  ): Promise<Listed<Document>> {
    const { direction, limit, offset, atOrAfter, before } = checkList(options);
    const documents = [...this.#of(projection).values()]
      .filter(({ key }) => atOrAfter.every((bound) => byBytes(key, bound) >= 0))
      .filter(({ key }) => before.every((bound) => bound === null || byBytes(key, bound) < 0))
      .sort((one, other) => byBytes(one.key, other.key));
    if (direction === 'backwards') documents.reverse();
    const { position } = this.moment;
    return Promise.resolve({ documents: documents.slice(offset, offset + limit), position });
  }

  count(projection: AnyProjection, prefix: string): Promise<number> {
    const keys = [...this.#of(projection).keys()];
    return Promise.resolve(keys.filter((key) => key.startsWith(prefix)).length);
  }

  /** @throws RangeError for a projection that was not folded */
  #of<Document extends object>(
    projection: ProjectionTo<Document>,
  ): ReadonlyMap<string, StoredDocument<Document>> {
    const folding = this.foldings.find((one) => one.projection === projection);
    if (!folding) throw new RangeError(`${projection.name} was not folded`);
    // The documents of this projection have its document type.
    return folding.documents as ReadonlyMap<string, StoredDocument<object>> as ReadonlyMap<
      string,
      StoredDocument<Document>
    >;
  }
}

const applyTo = (
  { projection, documents }: Folding,
  event: DomainEvent,
  position: Position,
): void => {
  for (const key of new Set(projection.keys(event))) {
    const before = documents.get(key)?.document ?? (projection.initial(key) as object);
    const document = projection.project(event, before, key) as object | null;
    if (document === null) documents.delete(key);
    else documents.set(key, { key, document, position });
  }
};

const byBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));
