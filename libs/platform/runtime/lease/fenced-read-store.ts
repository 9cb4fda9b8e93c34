import { type Position } from '#platform/event-store/event-store.port.js';
import { ForwardingReadStore } from '#platform/read-store/forwarding-read-store.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { type ReadStore, type ReadStoreCommit } from '#platform/read-store/read-store.port.js';
import { type LeadershipTerm } from './leadership.port.js';

/** This process has lost the lease under which it read the log; another one continues. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * The read store of a holder of the lease. Reading a checkpoint claims it under the holder's token:
 * from then on the store rejects every write of an earlier holder, also of one that stood still.
 * A write waits while the lease has run out and no other process has taken it.
 */
export class FencedReadStore extends ForwardingReadStore {
  constructor(
    readStore: ReadStore,
    private readonly term: LeadershipTerm,
  ) {
    super(readStore);
  }

  override async commit({ writes, checkpoint }: ReadStoreCommit): Promise<void> {
    if (!(await this.term.held())) throw new LeaseLostError('the lease was lost before this write');
    const fence = this.term.token;
    try {
      await super.commit({
        writes,
        ...(checkpoint && { checkpoint: { ...checkpoint, fence } }),
      });
    } catch (error) {
      if (error instanceof ReadStoreError && error.code === 'fenced-off') this.term.lost();
      throw error;
    }
  }

  /** Read after the claim: it includes all that an earlier holder has saved. */
  override async checkpoint(name: string): Promise<Position | undefined> {
    await this.commit({ writes: [], checkpoint: { name, position: 0n } });
    return super.checkpoint(name);
  }
}
