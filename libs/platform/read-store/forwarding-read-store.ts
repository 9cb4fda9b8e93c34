import { type Position } from '#platform/event-store/event-store.port.js';
import {
  type Checkpoint,
  type CollectionName,
  type ListOptions,
  type ReadStore,
  type ReadStoreCommit,
  type StoredDocument,
} from './read-store.port.js';

/** Forwards every use to another read store, except `close`. A subclass changes what it must. */
export class ForwardingReadStore implements ReadStore {
  constructor(protected readonly readStore: ReadStore) {}

  get<Document extends object>(
    collection: CollectionName,
    key: string,
  ): Promise<StoredDocument<Document> | undefined> {
    return this.readStore.get<Document>(collection, key);
  }

  list<Document extends object>(
    collection: CollectionName,
    options?: ListOptions,
  ): Promise<readonly StoredDocument<Document>[]> {
    return this.readStore.list<Document>(collection, options);
  }

  count(collection: CollectionName, prefix?: string): Promise<number> {
    return this.readStore.count(collection, prefix);
  }

  commit(commit: ReadStoreCommit): Promise<void> {
    return this.readStore.commit(commit);
  }

  checkpoint(name: string): Promise<Position | undefined> {
    return this.readStore.checkpoint(name);
  }

  checkpoints(): Promise<readonly Checkpoint[]> {
    return this.readStore.checkpoints();
  }

  drop(collection: CollectionName, checkpoint: string): Promise<void> {
    return this.readStore.drop(collection, checkpoint);
  }

  /** Does nothing: the composition root opened the store and closes it. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
