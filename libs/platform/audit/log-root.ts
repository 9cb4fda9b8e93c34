import { EventHasher, storedFieldsOf } from '#platform/event-store/event.chain.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { Frontier } from './frontier.js';

/** The tree of the log as it is now, made of its events alone. */
export const logRootOf = async (
  eventStore: Pick<EventStore, 'readAll'>,
): Promise<{ readonly size: number; readonly root: Buffer }> => {
  const hasher = new EventHasher();
  const tree = new Frontier();
  for await (const page of eventStore.readAll()) {
    for (const event of page) tree.push(hasher.leafHash(storedFieldsOf(event)));
  }
  return { size: tree.size, root: tree.root() };
};
