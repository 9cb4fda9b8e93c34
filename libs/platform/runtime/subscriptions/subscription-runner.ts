import { type Logger } from 'pino';
import {
  type EventStore,
  type Position,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { PositionDemand } from '#platform/event-store/position-demand.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type RunnerStatus } from './log-progress.js';
import { LogRunner } from './log-runner.js';
import { walkOf } from './log-walk.js';
import { type SubscriptionHandler } from './subscription-handler.js';

const RETRIES: BackOff = { firstMs: 1_000, maxMs: 60_000 };
/** While live, events are gathered for at least so long: one write then serves many requests. */
const GATHER_MS = 100;
/** And for longer where writes are slow: a slow store then idles most of the time. */
const GATHER_PER_WRITE = 20;
const GATHER_MS_MAX = 1_000;

/** Batches in a row after which a subscription that is behind leaves the reading to the walk. */
const BATCHES_BEHIND_MAX = 2;

/**
 * Runs one handler on the log for as long as the process lives: on the walk that all readers of the
 * process share while it is behind, and on a subscription while it is live. After a failure
 * it keeps the checkpoint, shows the failure in `status`, and retries with back-off. It never skips
 * an event.
 */
export class SubscriptionRunner extends LogRunner {
  /** Open while a caller waits. */
  readonly #positions = new PositionDemand();
  /** The first event of the batch that is being handled. */
  #handled: RecordedEvent | undefined;

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

  override status(): RunnerStatus {
    const offered = this.phase === 'live' ? this.#positions.offered : null;
    if (!offered) return super.status();
    const { position, since } = offered;
    return {
      ...super.status(),
      offered: { position, since: this.#handled?.recordedAt ?? since },
    };
  }

  protected override callerWaits(): void {
    this.#positions.open();
    super.callerWaits();
  }

  protected async run(): Promise<void> {
    let failures = 0;
    const onProgress = (): void => {
      failures = 0;
    };
    for (; !this.isStopping(); failures += 1) {
      try {
        let position = (await this.handler.checkpoint()) ?? 0n;
        this.advance(position);
        while (!this.isStopping()) {
          position = await this.#catchUp(position, onProgress);
          position = await this.#follow(position, onProgress);
        }
      } catch (error) {
        await this.#backOff(error, failures);
      }
    }
  }

  /** @returns the position up to which the handler has handled the log */
  async #catchUp(after: Position, onProgress: () => void): Promise<Position> {
    this.phase = 'catching-up';
    let reached = after;
    const onPage = (position: Position): void => {
      reached = position;
      onProgress();
      this.succeeded('catching-up');
      this.advance(position);
    };
    const { signal } = this.stopping;
    await walkOf(this.eventStore).catchUp(this.handler, { after, signal, onPage });
    return reached;
  }

  /** @returns as `#catchUp`, when it has fallen behind */
  async #follow(after: Position, onProgress: () => void): Promise<Position> {
    const { signal } = this.stopping;
    const filter = { by: 'type', prefixes: this.handler.types } as const;
    let reached = after;
    let behind = 0;
    const options = { after, filter, signal, positions: this.#positions };
    for await (const batch of this.eventStore.subscribe(options)) {
      const startedAt = performance.now();
      [this.#handled] = batch.events;
      await this.handler.handle(batch);
      this.#handled = undefined;
      reached = batch.position;
      onProgress();
      this.succeeded(batch.caughtUp ? 'live' : 'catching-up');
      this.advance(reached);
      if (this.waiters.count === 0) this.#positions.close();
      behind = batch.caughtUp ? 0 : behind + 1;
      if (behind === BATCHES_BEHIND_MAX) return reached;
      if (batch.caughtUp && batch.events.length > 0) {
        await this.#gather(performance.now() - startedAt);
      }
    }
    if (!signal.aborted) throw new Error('the subscription ended');
    return reached;
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
