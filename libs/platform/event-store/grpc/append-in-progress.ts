import { APPEND_BYTES_MAX, EVENTS_PER_APPEND_MAX } from '../append.encoding.js';
import { AppendTooLargeError } from '../event-store.errors.js';
import { type AppendResult, type EventStore } from '../event-store.port.js';
import { type AppendTarget, type ProposedEvent } from './append.messages.js';
import { toEventToAppend } from './proposed-event.js';

/**
 * One append, event by event. It is dropped as soon as it exceeds the size limit, for which its
 * events count with type and framing, as on KurrentDB 25.
 */
export class AppendInProgress {
  readonly target: AppendTarget;
  readonly #events: ProposedEvent[] = [];
  #bytes = 0;

  constructor(target: AppendTarget) {
    this.target = target;
  }

  /** Of the messages of its events. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws AppendTooLargeError */
  add(event: ProposedEvent): void {
    this.#events.push(event);
    this.#bytes += event.bytes;
    if (this.#bytes > APPEND_BYTES_MAX) {
      throw new AppendTooLargeError(`more than ${APPEND_BYTES_MAX} bytes in one append`);
    }
    if (this.#events.length > EVENTS_PER_APPEND_MAX) {
      throw new AppendTooLargeError(`more than ${EVENTS_PER_APPEND_MAX} events in one append`);
    }
  }

  /** @throws as the port's append does */
  async appendTo(eventStore: EventStore): Promise<AppendResult> {
    const { stream, expected } = this.target;
    return eventStore.append(stream, this.#events.map(toEventToAppend), expected);
  }
}
