import { randomUUID } from 'node:crypto';
import { type Logger } from 'pino';
import { JobId } from '#events/jobs/job.events.js';
import { type Bus, type BusMessage, type Listener } from '#platform/bus/bus.port.js';
import {
  type EventStore,
  type Position,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { typesOf } from '#platform/kernel/projection.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandSender } from '#platform/runtime/areas/leader-service.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { SubscriptionRunner } from '#platform/runtime/subscriptions/subscription-runner.js';
import { isGone } from './attempt-failure.js';
import { type AssignmentSender } from './assignment-sender.js';
import { DispatchActions } from './dispatch-actions.js';
import { DispatchBoard, type Due } from './dispatch-board.js';
import { type JobMetrics } from './job.metrics.js';
import { type JobTypes } from './job-type.js';
import { ChangeJobCommand, EndAttemptCommand, type ReportedEnd } from './job.commands.js';
import { ASKS_TOPIC, JobAsk } from './job.protocol.js';
import { type JobCommand } from './job.decider.js';
import { listenWhenReachable } from './listen-when-reachable.js';
import { type HeldJob, type OpenJob } from './open-job.js';
import { type OpenJobs } from './open-jobs.port.js';

export interface JobDispatcherLimits {
  /** A host that does not ask for longer has lost its attempts. */
  readonly silenceMs: number;
  /** From the dispatch until the host has started the attempt. */
  readonly startMsMax: number;
  /** How long a child may take to stop when its parent is cancelled. */
  readonly stopMsMax: number;
  /** How often the dispatcher looks at its clock. */
  readonly tickMs: number;
}

export const JOB_DISPATCHER_LIMITS: JobDispatcherLimits = {
  silenceMs: 15_000,
  startMsMax: 30_000,
  stopMsMax: 30_000,
  tickMs: 250,
};

/** The services of the dispatcher, for each of its terms. */
export interface DispatchServices {
  readonly bus: Pick<Bus, 'listen' | 'health'>;
  readonly eventStore: EventStore;
  readonly openJobs: OpenJobs;
  readonly assignments: AssignmentSender;
  readonly types: JobTypes;
  readonly metrics: JobMetrics;
  readonly limits: JobDispatcherLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const DISPATCHER = 'jobs.dispatcher';
/** A dispatch that the log does not show after this time is tried again. */
const DISPATCH_MS_MAX = 10_000;

/**
 * Gives the waiting jobs to hosts that ask. It runs in one process at a time, and several would do
 * no harm: it decides nothing itself but sends commands, of which the decider of the job accepts
 * one for each attempt. Its state is in memory, built from the read model of open jobs and kept
 * current by their events, so it loses nothing when it stops at any moment.
 */
export class DispatchTerm {
  readonly #board: DispatchBoard;
  readonly #actions: DispatchActions;
  readonly #runner: SubscriptionRunner;
  readonly #stopping = new AbortController();
  #asks: Promise<Listener | null> | undefined;
  #tick: NodeJS.Timeout | undefined;
  #isLive = false;
  #isWoken = false;

  constructor(
    private readonly services: DispatchServices,
    private readonly sender: CommandSender,
    /**
     * No other process runs attempts, and this one has run none yet: the attempts that the log
     * shows as running have ended with an earlier process.
     */
    private startsAlone: boolean,
  ) {
    const { openJobs, types, eventStore, clock, logger, limits } = services;
    const { projection } = openJobs;
    this.#board = new DispatchBoard({
      projection,
      runningPerAccountMax: (type) => runningPerAccountMax(types, type),
      silenceMs: limits.silenceMs,
      dispatchMsMax: DISPATCH_MS_MAX,
    });
    this.#actions = new DispatchActions({
      nowMs: () => performance.now(),
      onEnd: () => this.#wake(),
      onFailure: (err, key) => logger.warn({ err, key }, 'the dispatcher of jobs has to retry'),
    });
    const handler = {
      name: DISPATCHER,
      types: typesOf(projection.on),
      checkpoint: () => this.#load(),
      handle: (batch: SubscriptionBatch) => this.#fold(batch),
    };
    this.#runner = new SubscriptionRunner(handler, eventStore, clock, logger, false);
  }

  start(): void {
    const { bus, logger } = this.services;
    const handle = (message: BusMessage): void => this.#hear(message);
    const options = { bus, topic: ASKS_TOPIC, handle, logger };
    this.#asks = listenWhenReachable(options, this.#stopping.signal);
    void this.#asks.then(() => this.#board.judgeFrom(performance.now()));
    this.#tick = setInterval(() => {
      this.#actions.expire();
      this.#wake();
    }, this.services.limits.tickMs);
    this.#runner.start();
  }

  /** Resolves when nothing is sent any more. */
  async stop(): Promise<void> {
    this.#isLive = false;
    this.#stopping.abort();
    clearInterval(this.#tick);
    await Promise.all([this.#runner.stop(), this.#actions.stop(), this.#closeAsks()]);
    this.services.metrics.observe(null);
  }

  status(): RunnerStatus {
    return this.#runner.status();
  }

  async #closeAsks(): Promise<void> {
    const consumer = await this.#asks;
    await consumer?.close();
  }

  async #load(): Promise<Position> {
    this.#isLive = false;
    const { jobs, position } = await this.services.openJobs.load();
    this.#board.load(jobs, performance.now(), this.startsAlone);
    this.startsAlone = false;
    return position;
  }

  #fold({ events, caughtUp }: SubscriptionBatch): Promise<void> {
    const { openJobs, metrics } = this.services;
    const types = Object.keys(openJobs.projection.on);
    for (const recorded of events) {
      if (!types.includes(recorded.type)) continue;
      const event = openJobs.revive(recorded);
      const before = this.#board.apply(event, recorded.position, performance.now());
      if (before && this.#isLive) metrics.changed(event, before);
    }
    this.#isLive = !this.#stopping.signal.aborted && (this.#isLive || caughtUp);
    this.#wake();
    return Promise.resolve();
  }

  /** @throws ZodError for a message that is no ask */
  #hear({ data }: BusMessage): void {
    this.#board.hear(JobAsk.parse(data), performance.now());
    this.#wake();
  }

  /** Events and asks of one turn of the event loop are looked at together. */
  #wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    setImmediate(() => {
      this.#isWoken = false;
      if (this.#isLive) this.#act();
    });
  }

  #act(): void {
    for (const due of this.#board.due(performance.now(), this.services.clock.now())) {
      const isBounded = due.kind !== 'dispatch' && due.kind !== 'stop';
      const isStarted = this.#actions.run(keyOf(due), () => this.#do(due), isBounded);
      if (!isStarted && due.kind === 'dispatch') this.#board.release(due.job.jobId);
    }
    this.services.metrics.observe(this.#board.queue.depths());
  }

  async #do(due: Due): Promise<void> {
    switch (due.kind) {
      case 'dispatch':
        return this.#dispatch(due.job, due.host);
      case 'assign':
        return this.#assign(due.job);
      case 'stop':
        return this.services.assignments.stop(due.host, due.ref);
      case 'end':
        return this.#endAttempt(due.job, due.reason);
      case 'fail': {
        const { jobId } = due.job;
        const message = `the job ${due.dependency} did not complete`;
        const failure = { code: 'dependency_failed', message };
        return this.#change(jobId, (data, at) => ({
          type: 'FailJob',
          data: { ...data, ...failure, at },
        }));
      }
      case 'cancel': {
        const { stopMsMax } = this.services.limits;
        return this.#change(due.job.jobId, (data, requestedAt) => ({
          type: 'CancelJob',
          data: { ...data, requestedAt, stopBy: later(requestedAt, stopMsMax) },
        }));
      }
      case 'look': {
        const end = await this.services.openJobs.endOf(due.jobId);
        if (end) this.#board.learn(due.jobId, end);
      }
    }
  }

  async #dispatch({ jobId, attempt }: OpenJob, host: string): Promise<void> {
    const { startMsMax } = this.services.limits;
    try {
      await this.#change(jobId, (data, dispatchedAt) => ({
        type: 'DispatchJob',
        data: {
          ...data,
          attempt: attempt + 1,
          host,
          dispatchedAt,
          startBy: later(dispatchedAt, startMsMax),
        },
      }));
    } catch (error) {
      this.#board.release(jobId);
      throw error;
    }
  }

  async #assign(job: HeldJob): Promise<void> {
    try {
      await this.services.assignments.assign(job);
      this.#board.assigned(job);
    } catch (error) {
      if (!isGone(error)) throw error;
      await this.#end(job, 'failed', 'input_unavailable', 'the input of the job cannot be read');
    }
  }

  async #endAttempt(job: HeldJob, reason: 'lost' | 'drained'): Promise<void> {
    if (reason === 'drained') {
      await this.#end(job, 'drained', 'drained', 'the host stops and did not take the attempt');
      return;
    }
    const { reachable } = await this.services.bus.health();
    // Silence says nothing of the hosts while the bus delivers nothing.
    if (reachable) await this.#end(job, 'lost', 'host_lost', 'the host of the attempt is silent');
    else this.#board.judgeFrom(performance.now());
  }

  async #end(
    { jobId, attempt, host }: HeldJob,
    reason: ReportedEnd['reason'],
    code: string,
    message: string,
  ): Promise<void> {
    const endedAt = instant(this.services.clock);
    const data = { jobId: JobId.parse(jobId), attempt, host, reason, code, message, endedAt };
    await this.sender.execute(new EndAttemptCommand(data, contextOf(jobId)));
  }

  async #change(
    jobId: string,
    commandOf: (data: { readonly jobId: JobId }, at: string) => JobCommand,
  ): Promise<void> {
    const data = { jobId: JobId.parse(jobId) };
    const at = instant(this.services.clock);
    const command = new ChangeJobCommand(commandOf(data, at), contextOf(jobId));
    await this.sender.execute(command);
  }
}

const runningPerAccountMax = (types: JobTypes, name: string): number =>
  types.list.find((type) => type.name === name)?.limits.runningPerAccountMax ?? 0;

const keyOf = (due: Due): string => {
  switch (due.kind) {
    case 'stop':
      return `stop ${due.host} ${due.ref.jobId} ${due.ref.attempt}`;
    case 'look':
      return `look ${due.jobId}`;
    case 'dispatch':
    case 'assign':
    case 'end':
    case 'fail':
    case 'cancel':
      return `${due.kind} ${due.job.jobId} ${due.job.attempt}`;
  }
};

const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

/** Each command is a request of its own: the fencing token makes a repeat harmless. */
const contextOf = (jobId: string): CommandContext => ({
  requestId: randomUUID(),
  correlationId: jobId,
  causationId: jobId,
  actor: 'dispatcher',
});
