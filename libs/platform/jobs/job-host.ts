import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Logger } from 'pino';
import { type Bus, type BusMessage, type Listener } from '#platform/bus/bus.port.js';
import { AssignmentParts } from './assignment-parts.js';
import { hostFull } from './attempt-failure.js';
import { AttemptReports } from './attempt-reports.js';
import { type HostedType } from './hosted-type.js';
import { HostAsks } from './host-asks.js';
import { type InputReader, RunningAttempt } from './running-attempt.js';
import {
  type Assignment,
  attemptKey,
  type JobAttemptRef,
  type JobAsk,
  WorkHeaders,
  workTopicOf,
} from './job.protocol.js';
import { type JobSeal } from './job.seal.js';
import { listenWhenReachable } from './listen-when-reachable.js';
import { type ReportSink } from './report-sink.js';

export interface JobHostLimits {
  /** The interval between two asks of a host; it also asks whenever a slot becomes free. */
  readonly askMs: number;
  /** The shortest time between two reports of progress of one attempt. */
  readonly progressMs: number;
  /** The time that an attempt has to stop and to report after a drain; then it is abandoned. */
  readonly stopMsMax: number;
}

export const JOB_HOST_LIMITS: JobHostLimits = {
  askMs: 2_000,
  progressMs: 1_000,
  stopMsMax: 10_000,
};

export interface JobHostOptions {
  readonly bus: Pick<Bus, 'publish' | 'listen'>;
  /** The name of this process, unique in the fleet. */
  readonly host: string;
  readonly seal: JobSeal;
  readonly sink: ReportSink;
  /** Reads inputs and checkpoints that are blobs; only assignments to this host carry those. */
  readonly read: InputReader;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly limits?: Partial<JobHostLimits>;
}

/** Attempts whose assignments may come twice. */
const REMEMBERED_MAX = 10_000;

/**
 * Runs attempts of jobs in this process. It asks for work when it has room, so it never has more
 * than it can run. It runs each attempt at most once, also while no process answers: the decider of
 * the job decides whether its reports count.
 */
export class JobHost {
  readonly #limits: JobHostLimits;
  #types: ReadonlyMap<string, HostedType> = new Map();
  readonly #asks: HostAsks;
  readonly #parts: AssignmentParts;
  readonly #attempts = new Map<string, RunningAttempt>();
  readonly #seen = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  readonly #stopping = new AbortController();
  #listening: Promise<Listener | null> | undefined;
  #isDraining = false;

  constructor(private readonly options: JobHostOptions) {
    const { bus, host, seal, logger, limits } = options;
    this.#limits = { ...JOB_HOST_LIMITS, ...limits };
    this.#parts = new AssignmentParts(host, seal);
    const { askMs: everyMs } = this.#limits;
    this.#asks = new HostAsks({ bus, host, everyMs, state: () => this.#state(), logger });
  }

  /** Attempts that have not ended. */
  get running(): number {
    return this.#attempts.size;
  }

  /** Asks for work from now on, as soon as the bus can be reached. Nothing without types. */
  start(types: readonly HostedType[]): void {
    this.#types = new Map(types.map((hosted) => [hosted.type.name, hosted]));
    if (this.#types.size > 0) this.#listening ??= this.#listen();
  }

  /**
   * Takes no more work, waits for attempts to end, and hands the others back with their last
   * progress. Idempotent.
   */
  async drain(ms: number): Promise<void> {
    this.#isDraining = true;
    this.#stopping.abort();
    this.#asks.soon();
    if (!(await this.#endWithin(ms))) {
      for (const attempt of this.#attempts.values()) attempt.drain();
      if (!(await this.#endWithin(this.#limits.stopMsMax))) {
        for (const attempt of this.#attempts.values()) attempt.abandon();
      }
    }
    await (await this.#listening)?.close();
    await this.#asks.stop();
  }

  async #listen(): Promise<Listener | null> {
    const { bus, host, logger } = this.options;
    const handle = (message: BusMessage): void => this.#handle(message);
    const options = { bus, topic: workTopicOf(host), handle, logger };
    const listener = await listenWhenReachable(options, this.#stopping.signal);
    if (listener) this.#asks.start();
    return listener;
  }

  /** @throws ZodError, SealBrokenError for a message that is no work for this host */
  #handle({ headers, data }: BusMessage): void {
    const work = WorkHeaders.parse(headers);
    const ref: JobAttemptRef = { jobId: work.job, attempt: work.attempt };
    if (work.kind === 'stop') {
      this.#attempts.get(attemptKey(ref))?.stop();
      return;
    }
    if (this.#seen.has(attemptKey(ref))) return;
    const assignment = this.#parts.add(ref, work, data);
    if (assignment) this.#take(assignment);
  }

  #take(assignment: Assignment): void {
    const key = attemptKey(assignment);
    const hosted = this.#types.get(assignment.type);
    if (!hosted) throw new Error(`this process does not run jobs of type ${assignment.type}`);
    this.#seen.set(key, true);
    const reports = this.#reportsOf(assignment, hosted);
    const attempt = new RunningAttempt(assignment, hosted, reports, this.options);
    const hasRoom = this.#freeOf(hosted) > 0;
    this.#attempts.set(key, attempt);
    // The slot is free as soon as the work is done; the attempt is listed until it is reported.
    const onIdle = (): void => this.#asks.soon();
    const over = hasRoom ? attempt.run(onIdle) : attempt.handBack(hostFull());
    void over.finally(() => {
      this.#attempts.delete(key);
      this.#asks.soon();
    });
  }

  #reportsOf(assignment: Assignment, { type }: HostedType): AttemptReports {
    const { host, sink, logger } = this.options;
    const { progressMs } = this.#limits;
    const { jobId } = assignment;
    return new AttemptReports({
      assignment,
      host,
      type,
      sink,
      progressMs,
      onRejected: (error) => this.#attempts.get(attemptKey(assignment))?.fail(error),
      onFailure: (error) => logger.warn({ err: error, jobId }, 'a report of a job has to wait'),
    });
  }

  #state(): Pick<JobAsk, 'free' | 'running' | 'draining'> {
    const hosted = [...this.#types.values()];
    return {
      free: Object.fromEntries(hosted.map((one) => [one.type.name, this.#freeOf(one)])),
      running: [...this.#attempts.values()].map(({ ref }) => ref),
      draining: this.#isDraining,
    };
  }

  #freeOf(hosted: HostedType): number {
    if (this.#isDraining) return 0;
    const { name, limits } = hosted.type;
    const busy = [...this.#attempts.values()].filter((one) => one.isBusy && one.type === name);
    return Math.max(0, Math.min(limits.runningPerHostMax - busy.length, hosted.free()));
  }

  /** Whether every attempt has ended and is reported within the time. */
  async #endWithin(ms: number): Promise<boolean> {
    const ended = Promise.all([...this.#attempts.values()].map(({ over }) => over));
    const late = new AbortController();
    const elapsed = sleep(ms, false, { signal: late.signal }).catch(() => false);
    const isInTime = await Promise.race([ended.then(() => true), elapsed]);
    late.abort();
    return isInTime;
  }
}
