import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type EngineCount } from '#platform/tasks/engine.js';

/** The outcome of a delivered task; other values are failure codes. */
export type TaskOutcome = 'done' | 'cancelled' | 'repeated' | (string & {});

const SECONDS_BUCKETS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/** Prometheus metrics of a worker, by engine. */
@Injectable()
export class WorkerMetrics {
  readonly registry = new Registry();
  readonly #running = new Gauge({
    name: 'quipu_worker_tasks_running',
    help: 'Open tasks, including tasks that wait for the engine.',
    labelNames: ['engine'],
    registers: [this.registry],
  });
  readonly #jobs = new Gauge({
    name: 'quipu_worker_jobs_running',
    help: 'Attempts of jobs that have not ended.',
    registers: [this.registry],
  });
  readonly #tasks = new Counter({
    name: 'quipu_worker_tasks_total',
    help: 'Delivered tasks by outcome.',
    labelNames: ['engine', 'outcome'],
    registers: [this.registry],
  });
  readonly #seconds = new Histogram({
    name: 'quipu_worker_task_duration_seconds',
    help: 'Time from the start of a task to its end.',
    labelNames: ['engine'],
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });
  /** Counts that engines keep, by name. */
  readonly #counts = new Map<string, Counter>();

  ended(engine: string, outcome: TaskOutcome, seconds?: number): void {
    this.#tasks.labels(engine, outcome).inc();
    if (seconds !== undefined) this.#seconds.labels(engine).observe(seconds);
  }

  /** Read before each scrape. */
  observeJobs(running: number): void {
    this.#jobs.set(running);
  }

  /** The state of an engine, read before each scrape. */
  observe(engine: string, running: number, counts: readonly EngineCount[]): void {
    this.#running.labels(engine).set(running);
    for (const { name, help, total } of counts) {
      const counter = this.#counts.get(name) ?? this.#addCounter(name, help);
      counter.remove(engine);
      counter.labels(engine).inc(total);
    }
  }

  #addCounter(name: string, help: string): Counter {
    const counter = new Counter({ name, help, labelNames: ['engine'], registers: [this.registry] });
    this.#counts.set(name, counter);
    return counter;
  }
}
