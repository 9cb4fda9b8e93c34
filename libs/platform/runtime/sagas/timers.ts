import { type Logger } from 'pino';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Clock } from '#platform/kernel/clock.js';
import { storedPages } from '#platform/read-store/document-pages.js';
import { type ReadStore, type StoredDocument } from '#platform/read-store/read-store.port.js';
import { followUp } from '../commands/command-context.js';
import { type TimerDocument, timersOf } from './saga-documents.js';
import { type SendCommand } from './saga-handler.js';

/** Timers that are read and fired together, in no particular order. */
const TIMERS_PER_PAGE = 100;
const RETRIES: BackOff = { firstMs: 1_000, maxMs: 60_000 };

interface Failing {
  readonly failures: number;
  readonly retryAtMs: number;
  readonly reason: string;
}

/**
 * Fires the due timers of one saga. A timer is a document whose key orders by its due instant. It
 * is deleted when an event of its process cancels it or its command was accepted: firing is at
 * least once, with the same command id. A timer whose command fails is retried with back-off, while
 * the others fire.
 */
export class Timers {
  readonly #collection: string;
  /** In memory: after a restart each timer is tried at once. */
  #failing = new Map<string, Failing>();

  constructor(
    private readonly saga: string,
    private readonly readStore: ReadStore,
    private readonly send: SendCommand,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.#collection = timersOf(saga);
  }

  /** Why due timers could not fire, or null. */
  failure(): string | null {
    const [first] = this.#failing.values();
    if (!first) return null;
    return `${this.#failing.size} due timers could not be fired: ${first.reason}`;
  }

  async fireDue(signal: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now() + 1).toISOString();
    const failing = new Map<string, Failing>();
    const range = { before, limit: TIMERS_PER_PAGE };
    const pages = storedPages<TimerDocument>(this.readStore, this.#collection, range);
    for await (const { documents } of pages) {
      await Promise.all(documents.map((timer) => this.#fire(timer, failing)));
      if (signal.aborted) break;
    }
    this.#failing = failing;
  }

  /** @param failing collects the timers that still fail; cancelled ones drop out */
  async #fire(timer: StoredDocument<TimerDocument>, failing: Map<string, Failing>): Promise<void> {
    const { key } = timer;
    const before = this.#failing.get(key);
    if (before && this.clock.now() < before.retryAtMs) {
      failing.set(key, before);
      return;
    }
    try {
      await this.#fireOnce(timer);
    } catch (error) {
      const failures = before?.failures ?? 0;
      const delayMs = backOffMs(RETRIES, failures + 1);
      const reason = error instanceof Error ? error.message : String(error);
      failing.set(key, {
        failures: failures + 1,
        retryAtMs: this.clock.now() + delayMs,
        reason,
      });
      this.logger.error(
        { err: error, saga: this.saga, timer: key, delayMs },
        'a timer could not be fired; retrying',
      );
    }
  }

  async #fireOnce({ key, document, position }: StoredDocument<TimerDocument>): Promise<void> {
    const { command, data, eventId, correlationId } = document;
    const cause = { id: eventId, correlationId };
    const context = followUp(cause, `${this.saga}\n${key}`, `saga:${this.saga}`);
    await this.send({ type: command, data }, context);
    // One position after the event that set it: a timer that a later event set again under this key
    // stays.
    const gone = { collection: this.#collection, key, document: null, position: position + 1n };
    await this.readStore.commit({ writes: [gone] });
  }
}
