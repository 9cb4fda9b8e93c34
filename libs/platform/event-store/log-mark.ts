import { CutStreamError, DamagedEventError } from './event-store.errors.js';
import { type EventStore, type RecordedEvent } from './event-store.port.js';

type Named = Pick<RecordedEvent, 'position' | 'stream' | 'revision' | 'id'>;

/**
 * Names one event, in at most 512 bytes. What is derived from a log keeps the mark of the last
 * event in it: a log that has this event at this place has every event before it too. So it is the
 * same log, and was not put back to an earlier state. A log has no other identity.
 */
export const markOf = ({ position, stream, revision, id }: Named): string =>
  JSON.stringify([position.toString(), stream, revision.toString(), id]);

/** Whether the log has the event that the mark names. */
export const hasMarked = async (eventStore: EventStore, mark: string): Promise<boolean> => {
  const [position, stream, revision, id] = JSON.parse(mark) as [string, string, string, string];
  const from = BigInt(revision);
  try {
    for await (const page of eventStore.read(stream, { from, maxCount: 1 })) {
      const [found] = page;
      if (found?.id !== id || found.revision !== from) return false;
      // Some servers do not report the position of an event that is read from its stream.
      return found.position === BigInt(position) || found.position === 0n;
    }
    return false;
  } catch (error) {
    // There is an event, and its damage is reported where events are read.
    if (error instanceof DamagedEventError || error instanceof CutStreamError) return true;
    throw error;
  }
};
