import { eventStoreContract } from '../event-store.contract.js';
import { type EventStore } from '../event-store.port.js';
import { openEventStoreDb } from './eventstoredb-event-store.js';
import { PartOfLog } from './part-of-log.fixture.js';

/** The port's suite on a server that runs already and holds other logs. */
export const givenServerContract = (name: string, url: () => string): void =>
  eventStoreContract(name, async () => {
    const handles: EventStore[] = [];
    const openHandle = async () => {
      const handle = await openEventStoreDb({ url: url() });
      handles.push(handle);
      return handle;
    };
    const first = await openHandle();
    const part = await PartOfLog.begin(first);
    return {
      store: part.seenThrough(first),
      openAnother: async () => part.seenThrough(await openHandle()),
      dispose: async () => {
        await Promise.all(handles.map((handle) => handle.close()));
      },
    };
  });
