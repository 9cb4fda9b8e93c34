import { describeDamage } from '#platform/event-store/event-store.errors.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import {
  type MetricsSource,
  type ReadinessCheck,
  type ReadinessPart,
} from '#platform/runtime/operations.js';
import { type EventStoreMetrics } from './event-store.metrics.js';

/** The state of a served log, for `/health/ready` and `/metrics`. */
export class EventStoreOperations implements ReadinessCheck, MetricsSource {
  constructor(
    private readonly eventStore: EventStore,
    private readonly metrics: EventStoreMetrics,
  ) {}

  async readiness(): Promise<ReadinessPart> {
    const { health, head } = await this.#state();
    const { writable, reason, damaged = [] } = health;
    const reasons = [
      ...(writable ? [] : [`the event store cannot be written: ${reason ?? ''}`]),
      ...damaged.map((one) => `the log is damaged: ${describeDamage(one)}`),
      ...(head === null ? ['the head of the log cannot be read'] : []),
    ];
    return {
      reasons,
      facts: { event_store: { writable, reason }, head: head?.toString() ?? null },
    };
  }

  /** Keeps the last position if the head is unreadable; `quipu_log_writable` shows the failure. */
  async collect(): Promise<void> {
    const { health, head } = await this.#state();
    this.metrics.writable.set(health.writable ? 1 : 0);
    if (head !== null) this.metrics.logHead.set(Number(head));
  }

  /** The head is null if it is unreadable. */
  async #state() {
    return {
      health: await this.eventStore.health(),
      head: await this.eventStore.head().catch(() => null),
    };
  }
}
