import { CutStreamError, DamagedEventError } from './event-store.errors.js';
import { type EventStore, type RecordedEvent } from './event-store.port.js';

type Named = Pick<RecordedEvent, 'stream' | 'revision' | 'id'>;

/**
 * Names one event at its place in one store, in at most 512 bytes. What is derived from a store
 * keeps the mark of the last event in it: a log that has this event at this place has every event
 * before it too. So it is the same log, and was not put back to an earlier state. A log has no
 * other identity.
 */
export const markOf = ({
  position,
  stream,
  revision,
  id,
}: Named & Pick<RecordedEvent, 'position'>): string =>
  JSON.stringify([position.toString(), stream, revision.toString(), id]);

/** Names one event wherever the log is stored, for what outlives a move of the log. */
export const nameOfEvent = ({ stream, revision, id }: Named): string =>
  JSON.stringify([stream, revision.toString(), id]);

/** Whether the log has the event that the mark names, at its place. */
export const hasMarked = async (eventStore: EventStore, mark: string): Promise<boolean> => {
  const [position, stream, revision, id] = JSON.parse(mark) as [string, string, string, string];
  const found = await findEvent(eventStore, { stream, revision: BigInt(revision), id });
  if (found === 'unreadable') return true;
  // Some servers do not report the position of an event that is read from its stream.
  return found !== null && (found.position === BigInt(position) || found.position === 0n);
};

/** Whether the log has the event of this name. */
export const hasEvent = async (eventStore: EventStore, name: string): Promise<boolean> => {
  const [stream, revision, id] = JSON.parse(name) as [string, string, string];
  return (await findEvent(eventStore, { stream, revision: BigInt(revision), id })) !== null;
};

/** `unreadable`: there is an event, and its damage is reported where events are read. */
const findEvent = async (
  eventStore: EventStore,
  { stream, revision: from, id }: Named,
): Promise<RecordedEvent | 'unreadable' | null> => {
  try {
    for await (const [found] of eventStore.read(stream, { from, maxCount: 1 })) {
      return found?.id === id && found.revision === from ? found : null;
    }
    return null;
  } catch (error) {
    if (error instanceof DamagedEventError || error instanceof CutStreamError) return 'unreadable';
    throw error;
  }
};
