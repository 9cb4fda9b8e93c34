import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type JobEvent } from '#events/jobs/job.events.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type MetricsSource } from '#platform/runtime/areas/operations.js';
import { type QueueDepth } from './job-queue.js';
import { isHeld, type OpenJob } from './open-job.js';

const SECONDS_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 43_200, 86_400];

/** Jobs by type, as the dispatcher sees them. A process that does not dispatch reports none. */
@Injectable()
export class JobMetrics implements MetricsSource {
  readonly #waiting: Gauge;
  readonly #oldest: Gauge;
  readonly #running: Gauge;
  readonly #attempts: Counter;
  readonly #seconds: Histogram;
  /** When the attempt of a job started, in ms since the Unix epoch. */
  readonly #startedAtMs = new Map<string, number>();
  #depths: ReadonlyMap<string, QueueDepth> | null = null;

  constructor(
    registry: Registry,
    private readonly clock: Clock,
  ) {
    const by = { labelNames: ['type'], registers: [registry] };
    const waiting = 'Jobs that wait for a host, for other jobs, for a time or for funds.';
    this.#waiting = new Gauge({ name: 'quipu_jobs_waiting', help: waiting, ...by });
    const oldest = 'The age of the oldest job that waits; 0 when none does.';
    this.#oldest = new Gauge({ name: 'quipu_jobs_oldest_waiting_seconds', help: oldest, ...by });
    const running = 'Jobs that a host has.';
    this.#running = new Gauge({ name: 'quipu_jobs_running', help: running, ...by });
    this.#attempts = new Counter({
      name: 'quipu_job_attempts_total',
      help: 'Attempts that ended, by outcome.',
      labelNames: ['type', 'outcome'],
      registers: [registry],
    });
    this.#seconds = new Histogram({
      name: 'quipu_job_run_seconds',
      help: 'Time from the start of an attempt to its end.',
      labelNames: ['type'],
      buckets: SECONDS_BUCKETS,
      registers: [registry],
    });
  }

  /** @param depths null where this process does not dispatch any more */
  observe(depths: ReadonlyMap<string, QueueDepth> | null): void {
    this.#depths = depths;
    if (!depths) this.#startedAtMs.clear();
  }

  /** @param before the job before the event */
  changed(event: JobEvent, before: OpenJob): void {
    const { jobId } = before;
    if (event.type === 'JobStarted') {
      this.#startedAtMs.set(jobId, Date.parse(event.data.startedAt));
      return;
    }
    const outcome = isHeld(before) ? outcomeOf(event) : null;
    if (outcome === null) return;
    this.#attempts.labels(before.type, outcome).inc();
    const startedAtMs = this.#startedAtMs.get(jobId);
    this.#startedAtMs.delete(jobId);
    if (startedAtMs === undefined) return;
    this.#seconds.labels(before.type).observe((this.clock.now() - startedAtMs) / 1_000);
  }

  collect(): void {
    for (const gauge of [this.#waiting, this.#oldest, this.#running]) gauge.reset();
    for (const [type, { waiting, running, oldestSubmittedAt }] of this.#depths ?? []) {
      this.#waiting.labels(type).set(waiting);
      this.#running.labels(type).set(running);
      const sinceMs = oldestSubmittedAt === null ? this.clock.now() : Date.parse(oldestSubmittedAt);
      this.#oldest.labels(type).set((this.clock.now() - sinceMs) / 1_000);
    }
  }
}

/** How the event ended the attempt; null for an event that does not. */
const outcomeOf = (event: JobEvent): string | null => {
  switch (event.type) {
    case 'JobAttemptEnded':
      return event.data.reason;
    case 'JobCompleted':
      return 'completed';
    case 'JobFailed':
      return 'failed';
    case 'JobCancelled':
      return 'cancelled';
    case 'JobTimedOut':
      return 'timed_out';
    case 'JobSubmitted':
    case 'JobDispatched':
    case 'JobStarted':
    case 'JobProgressed':
    case 'JobRenewed':
    case 'JobPaused':
    case 'JobResumed':
    case 'JobCancellationRequested':
    case 'JobSettled':
    case 'JobForgotten':
      return null;
  }
};
