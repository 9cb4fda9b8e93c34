import { type RecordedEvent } from '../event-store.port.js';

const EVENTS_MAX = 1_024;
/** Bytes of JSON, above which an event is read again for each reader. */
const EVENT_BYTES_MAX = 8_192;

/**
 * The events that were read last, by position. Projections that are rebuilt together, and handlers
 * that catch up together, read the same events within a few pages: they are unpacked once. All get
 * the same object, so that they share what `../../runtime/commands/event-codec.ts` keeps by it.
 */
export class ReadEvents {
  readonly #events: (RecordedEvent | undefined)[] = new Array<undefined>(EVENTS_MAX);

  at(position: number): RecordedEvent | undefined {
    const event = this.#events[position % EVENTS_MAX];
    return Number(event?.position) === position ? event : undefined;
  }

  keep(position: number, event: RecordedEvent, bytes: number): void {
    if (bytes <= EVENT_BYTES_MAX) this.#events[position % EVENTS_MAX] = event;
  }
}
