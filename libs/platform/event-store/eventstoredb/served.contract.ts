import { eventStoreContract } from '../event-store.contract.js';
import { type EventStore } from '../event-store.port.js';
import { openServedTestLog } from '../grpc/served-log.fixture.js';
import { openEventStoreDb } from './eventstoredb-event-store.js';

/**
 * The port's suite over the wire: our client, a package's connection, our node, a log of its own.
 */
export const servedContract = (scheme: string, name: string): void =>
  eventStoreContract(`our node through ${name}`, async () => {
    const served = await openServedTestLog();
    const handles: EventStore[] = [];
    const openAnother = async () => {
      const handle = await openEventStoreDb({ url: `${scheme}://${served.address}?tls=false` });
      handles.push(handle);
      return handle;
    };
    return {
      store: await openAnother(),
      openAnother,
      dispose: async () => {
        await Promise.all(handles.map((handle) => handle.close()));
        await served.dispose();
      },
    };
  });
