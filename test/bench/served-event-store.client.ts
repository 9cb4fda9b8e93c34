/**
 * Entry point of a process that measures the served log: one process cannot load both clients'
 * packages. One order in, figures out, over IPC.
 */
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { benchAppend, benchReplay } from './event-store.bench.js';
import { type Figure } from './figure.js';

/** The work on an empty log at this address. */
export type ServedOrder = { readonly url: string } & (
  | { readonly kind: 'append'; readonly callers: number }
  | { readonly kind: 'replay'; readonly events: number }
);

export type ServedReply = { readonly figures: readonly Figure[] } | { readonly error: string };

const measure = async (order: ServedOrder): Promise<readonly Figure[]> => {
  const store = await openEventStoreDb({ url: order.url });
  try {
    return order.kind === 'append'
      ? await benchAppend(store, order.callers)
      : await benchReplay(store, order.events);
  } finally {
    await store.close();
  }
};

const reply = (answer: ServedReply): void => void process.send?.(answer);

process.on('message', (order: ServedOrder) => {
  measure(order).then(
    (figures) => reply({ figures }),
    (error: unknown) => reply({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
