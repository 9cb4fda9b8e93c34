import { type Position } from '#platform/event-store/event-store.port.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import {
  type CollectionName,
  type ListOptions,
  type ReadStore,
  type ReadStoreCommit,
  type StoredDocument,
} from '#platform/read-store/read-store.port.js';
import { type LeadershipTerm } from './leadership.port.js';

/** This process has lost the lease under which it read the log; another one continues. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * The read store of a holder of the lease. Reading a checkpoint claims it under the holder's token:
 * from then on the store rejects every write of an earlier holder, also of one that stood still.
 */
export class FencedReadStore implements ReadStore {
  constructor(
    private readonly readStore: ReadStore,
    private readonly term: LeadershipTerm,
  ) {}

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

  async commit({ writes, checkpoint }: ReadStoreCommit): Promise<void> {
    if (!this.term.isHeld()) throw new LeaseLostError('the lease was lost before this write');
    const fence = this.term.token;
    try {
      await this.readStore.commit({
        writes,
        ...(checkpoint && { checkpoint: { ...checkpoint, fence } }),
      });
    } catch (error) {
      if (error instanceof ReadStoreError && error.code === 'fenced-off') this.term.lost();
      throw error;
    }
  }

  /** Read after the claim: it includes all that an earlier holder has saved. */
  async checkpoint(name: string): Promise<Position | undefined> {
    await this.commit({ writes: [], checkpoint: { name, position: 0n } });
    return this.readStore.checkpoint(name);
  }

  drop(collection: CollectionName, checkpoint: string): Promise<void> {
    return this.readStore.drop(collection, checkpoint);
  }

  /** Does nothing: the composition root opened the store and closes it. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
