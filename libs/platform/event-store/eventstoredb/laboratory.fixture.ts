import { afterEach } from '@jest/globals';
import { type EventStore } from '../event-store.port.js';
import { openServedTestLog, type ServedTestLog } from '../grpc/served-log.fixture.js';
import { openEventStoreDb } from './eventstoredb-event-store.js';
import { type EventStoreDbTimeouts } from './timeouts.js';

/** Opens served logs and stores on them, and closes them all after each test. */
export class Laboratory {
  readonly #stores: EventStore[] = [];
  readonly #logs: ServedTestLog[] = [];

  constructor() {
    afterEach(() => this.#clear());
  }

  async openLog(...options: Parameters<typeof openServedTestLog>): Promise<ServedTestLog> {
    const log = await openServedTestLog(...options);
    this.#logs.push(log);
    return log;
  }

  async openStore(url: string, timeouts?: Partial<EventStoreDbTimeouts>): Promise<EventStore> {
    const store = await openEventStoreDb({ url, ...(timeouts && { timeouts }) });
    this.#stores.push(store);
    return store;
  }

  async #clear(): Promise<void> {
    await Promise.all(this.#stores.splice(0).map((store) => store.close()));
    await Promise.all(this.#logs.splice(0).map((log) => log.dispose()));
  }
}
