import { describeDamage } from '#platform/event-store/event-store.errors.js';
import {
  type EventStore,
  type EventStoreHealth,
  type Position,
} from '#platform/event-store/event-store.port.js';
import {
  type MetricsSource,
  type ReadinessCheck,
  type ReadinessPart,
  type ReadinessReason,
} from '#platform/runtime/areas/operations.js';
import { LastAnswer } from '../operations/last-answer.js';
import { type EventStoreMetrics } from './event-store.metrics.js';

/** The state of a served log, for `/health/ready` and `/metrics`. */
export class EventStoreOperations implements ReadinessCheck, MetricsSource {
  readonly #state: LastAnswer<{
    readonly health: EventStoreHealth;
    readonly head: Position | null;
  }>;

  constructor(
    eventStore: EventStore,
    private readonly metrics: EventStoreMetrics,
  ) {
    this.#state = new LastAnswer(async () => ({
      health: await eventStore.health(),
      head: await eventStore.head().catch(() => null),
    }));
  }

  async readiness(): Promise<ReadinessPart> {
    const { answer, failure } = await this.#state.get();
    const { writable = false, reason = null, damaged = [] } = answer?.health ?? {};
    const head = answer?.head ?? null;
    const reasons: ReadinessReason[] = damaged.map((one) => ({
      code: 'event_log_damaged',
      detail: `the log is damaged: ${describeDamage(one)}`,
    }));
    const unavailable = (detail: string): void => {
      reasons.unshift({ code: 'event_log_unavailable', detail });
    };
    if (failure === null && head === null) unavailable('the head of the log cannot be read');
    if (failure !== null || !writable) {
      unavailable(`the log cannot be written: ${failure ?? reason ?? ''}`);
    }
    return {
      reasons,
      facts: { event_store: { writable, reason }, head: head?.toString() ?? null },
    };
  }

  /** Keeps the last position if the head is unreadable; `quipu_log_writable` shows the failure. */
  async collect(): Promise<void> {
    const { answer, failure } = await this.#state.get();
    this.metrics.writable.set(failure === null && answer?.health.writable ? 1 : 0);
    const head = answer?.head ?? null;
    if (head !== null) this.metrics.logHead.set(Number(head));
  }
}
