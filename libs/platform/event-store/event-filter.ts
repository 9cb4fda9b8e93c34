import { type EventFilter, type RecordedEvent } from './event-store.port.js';

/** @throws RangeError for a list without a prefix, which nothing could pass */
export const checkFilter = (filter: EventFilter | undefined): void => {
  if (filter?.prefixes.length === 0) throw new RangeError('a filter needs at least one prefix');
};

/** Whether an event passes: what an adapter asks where it cannot let the store decide. */
export const passes = (filter: EventFilter, event: RecordedEvent): boolean => {
  const name = filter.by === 'stream' ? event.stream : event.type;
  for (const prefix of filter.prefixes) if (name.startsWith(prefix)) return true;
  return false;
};
