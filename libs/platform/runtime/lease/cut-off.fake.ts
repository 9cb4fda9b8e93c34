import { type ReadStoreCommit } from '#platform/read-store/read-store.port.js';
import { FaultyReadStore } from '../faulty-stores.fake.js';

/** The shared store as one process reaches it, until it does not any more. */
export class CutOff extends FaultyReadStore {
  constructor(private readonly shared: FaultyReadStore) {
    super();
  }

  override checkpoint(name: string): Promise<bigint | undefined> {
    return this.isAway ? super.checkpoint(name) : this.shared.checkpoint(name);
  }

  override commit(commit: ReadStoreCommit): Promise<void> {
    return this.isAway ? super.commit(commit) : this.shared.commit(commit);
  }
}
