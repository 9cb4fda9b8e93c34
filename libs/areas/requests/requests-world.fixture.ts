import { type DomainEvent, type Projection } from '#platform/kernel/projection.js';
import { type DocumentWrite } from '#platform/read-store/read-store.port.js';
import { FaultyReadStore } from '#platform/runtime/faulty-stores.fake.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { type DocumentReader } from '#platform/runtime/projections/document-reader.js';

/** One projection of events in memory, and how many documents were read from it. */
export class FoldedDocuments<Event extends DomainEvent, Document extends object> {
  readonly #store = new FaultyReadStore();
  #position = 0n;
  read = 0;

  constructor(private readonly projection: Projection<Event, Document>) {}

  async take(events: readonly Event[]): Promise<void> {
    const { name, keys, initial, project } = this.projection;
    const documents = new Map<string, Document | null>();
    for (const event of events) {
      this.#position += 1n;
      for (const key of keys(event)) {
        const stored = await this.#store.get<Document>(name, key);
        const before = documents.get(key) ?? stored?.document ?? initial(key);
        documents.set(key, project(event, before, key));
      }
    }
    const position = this.#position;
    const writes: DocumentWrite[] = [...documents].map(([key, document]) => ({
      ...{ collection: name, key, document, position },
    }));
    await this.#store.commit({ writes });
  }

  readonly reader: DocumentReader = {
    readAt: 0,
    get: async (projection, key) => {
      this.read += 1;
      const found = await this.#store.get<never>(projection.name, key);
      return { document: found?.document, position: this.#position };
    },
    list: async (projection, options) => {
      const documents = await this.#store.list<never>(projection.name, options);
      this.read += documents.length;
      return { documents, position: this.#position };
    },
    count: (projection, prefix) => this.#store.count(projection.name, prefix),
  };

  /** As queries read it. */
  readonly projections = { at: () => Promise.resolve(this.reader) } as unknown as Projections;
}
