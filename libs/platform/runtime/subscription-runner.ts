import { type Logger } from 'pino';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { PositionDemand } from '#platform/event-store/position-demand.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Clock } from '#platform/kernel/clock.js';
import { LogRunner } from './log-runner.js';
import { type SubscriptionHandler } from './subscription-handler.js';

const RETRIES: BackOff = { firstMs: 1_000, maxMs: 60_000 };
/** While live, events are gathered for at least so long: one write then serves many requests. */
const GATHER_MS = 100;
/** And for longer where writes are slow: a slow store then idles most of the time. */
const GATHER_PER_WRITE = 20;
const GATHER_MS_MAX = 1_000;

/**
 * Runs one handler on a subscription to the log for as long as the process lives. After a failure
 * it keeps the checkpoint, shows the failure in `status`, and retries with back-off. It never skips
 * an event.
 */
export class SubscriptionRunner extends LogRunner {
  /** Open while a caller waits. */
  readonly #positions = new PositionDemand();

  /** @param gathers false for a handler that writes nothing: it gets each event at once */
  constructor(
    handler: SubscriptionHandler,
    eventStore: EventStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly gathers = true,
  ) {
    super(handler, eventStore);
  }

  protected override callerWaits(): void {
    this.#positions.open();
    super.callerWaits();
  }

  protected async run(): Promise<void> {
    for (let failures = 0; !this.isStopping(); failures += 1) {
      try {
        const from = await this.handler.checkpoint();
        this.advance(from ?? 0n);
        await this.#subscribe(from, () => (failures = 0));
      } catch (error) {
        await this.#backOff(error, failures);
      }
    }
  }

  async #subscribe(after: Position | undefined, onProgress: () => void): Promise<void> {
    const { signal } = this.stopping;
    const filter = { by: 'type', prefixes: this.handler.types } as const;
    this.phase = 'catching-up';
    const options = { filter, signal, positions: this.#positions };
    const checkpoint = after === undefined ? {} : { after };
    for await (const batch of this.eventStore.subscribe({ ...checkpoint, ...options })) {
      const startedAt = performance.now();
      await this.handler.handle(batch);
      onProgress();
      this.succeeded(batch.caughtUp ? 'live' : 'catching-up');
      this.advance(batch.position);
      if (this.waiters.count === 0) this.#positions.close();
      if (batch.caughtUp && batch.events.length > 0) {
        await this.#gather(performance.now() - startedAt);
      }
    }
    if (!signal.aborted) throw new Error('the subscription ended');
  }

  /** A caller that waits for its own write ends the gathering at once. */
  async #gather(writeMs: number): Promise<void> {
    if (!this.gathers || this.waiters.count > 0) return;
    await this.pause(Math.min(Math.max(GATHER_MS, GATHER_PER_WRITE * writeMs), GATHER_MS_MAX));
  }

  async #backOff(error: unknown, failures: number): Promise<void> {
    if (this.isStopping()) return;
    const delayMs = backOffMs(RETRIES, failures + 1);
    this.failed(error, new Date(this.clock.now() + delayMs).toISOString());
    this.logger.error(
      { err: error, handler: this.handler.name, position: this.position.toString(), delayMs },
      'a subscription stopped; it keeps its checkpoint and retries',
    );
    await this.pause(delayMs);
  }
}
