import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type EventStoreErrorCode } from '#platform/event-store/event-store.errors.js';
import { logHeadPosition } from '../operations/log-head-position.js';

/** A commit waits for the disk: from a tenth of a millisecond to seconds. */
const SECONDS_BUCKETS = [
  0.000_5, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048,
];

/** Prometheus metrics of a log that is served to other processes. */
export class EventStoreMetrics {
  readonly registry = new Registry();
  readonly logHead = logHeadPosition(this.registry);
  readonly writable = new Gauge({
    name: 'quipu_log_writable',
    help: '1 while the log accepts appends, 0 while the disk or the file rejects them.',
    registers: [this.registry],
  });
  readonly subscriptions = new Gauge({
    name: 'quipu_log_subscriptions',
    help: 'Open subscriptions to the log.',
    registers: [this.registry],
  });
  readonly #seconds = new Histogram({
    name: 'quipu_log_append_duration_seconds',
    help: 'Time from the receipt of an append to its outcome.',
    labelNames: ['outcome'],
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });
  readonly #events = new Counter({
    name: 'quipu_log_events_total',
    help: 'Events of successful appends, including repeated appends.',
    registers: [this.registry],
  });
  readonly #eventsRead = new Counter({
    name: 'quipu_log_events_read_total',
    help: 'Events that were read for callers, from streams, from the log and by subscriptions.',
    registers: [this.registry],
  });
  /** Cached, since the library looks labels up for every append. */
  readonly #landedSeconds = this.#seconds.labels('appended');

  landed(events: number, seconds: number): void {
    this.#landedSeconds.observe(seconds);
    this.#events.inc(events);
  }

  read(events: number): void {
    this.#eventsRead.inc(events);
  }

  refused(outcome: EventStoreErrorCode | 'failed', seconds: number): void {
    this.#seconds.labels(outcome).observe(seconds);
  }
}
