import { type Position } from '#platform/event-store/event-store.port.js';
import { ForwardingReadStore } from '#platform/read-store/forwarding-read-store.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type LogTrust } from '../subscriptions/log-trust.js';

/**
 * The read store of subscriptions and queries: it gives no checkpoint while the read models are not
 * of the log. So no subscription continues from one, and no query is answered.
 */
export class TrustedReadStore extends ForwardingReadStore {
  constructor(
    readStore: ReadStore,
    private readonly trust: LogTrust,
  ) {
    super(readStore);
  }

  /** @throws ReadStoreError `foreign-log` */
  override async checkpoint(name: string): Promise<Position | undefined> {
    await this.trust.expect();
    return super.checkpoint(name);
  }
}
