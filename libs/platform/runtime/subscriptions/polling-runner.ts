import { type Logger } from 'pino';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { LogRunner } from './log-runner.js';
import { type SubscriptionHandler } from './subscription-handler.js';

/** Between two polls while a caller waits. */
const AWAITED_POLL_MS = 10;

/**
 * Polls the log for the events of one handler instead of subscribing to all of it: for rare events
 * in a remote log, where a subscription would transfer every other event as well. After a failure
 * it keeps the position and retries at the next poll. It never skips an event.
 */
export class PollingRunner extends LogRunner {
  constructor(
    handler: SubscriptionHandler,
    eventStore: EventStore,
    private readonly pollMs: number,
    private readonly logger: Logger,
  ) {
    super(handler, eventStore);
  }

  protected async run(): Promise<void> {
    let from: Position | undefined;
    while (!this.isStopping()) {
      try {
        from ??= (await this.handler.checkpoint()) ?? 0n;
        this.advance(from);
        await this.#poll();
        this.succeeded('live');
      } catch (error) {
        this.#fail(error);
      }
      await this.pause(this.#pauseMs());
    }
  }

  async #poll(): Promise<void> {
    // The head is read first: without events of the handler, the poll has come as far as the head.
    const head = await this.eventStore.head();
    if (head <= this.position) return;
    const filter = { by: 'type', prefixes: this.handler.types } as const;
    for await (const events of this.eventStore.readAll({ after: this.position, filter })) {
      const position = events.at(-1)?.position ?? this.position;
      await this.handler.handle({ events, position, caughtUp: false });
      this.advance(position);
    }
    if (head <= this.position) return;
    await this.handler.handle({ events: [], position: head, caughtUp: true });
    this.advance(head);
  }

  /** Short while a caller waits: the event it waits for was in the log when the wait began. */
  #pauseMs(): number {
    const isAwaited = this.waiters.count > 0 && this.failure === null;
    return isAwaited ? Math.min(AWAITED_POLL_MS, this.pollMs) : this.pollMs;
  }

  /** Logs each reason once, not at every poll. */
  #fail(error: unknown): void {
    const before = this.failure;
    this.failed(error, null);
    if (this.failure === before) return;
    this.logger.error(
      { err: error, handler: this.handler.name, position: this.position.toString() },
      'the log could not be polled; the next poll retries',
    );
  }
}
