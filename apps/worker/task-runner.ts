import { LRUCache } from 'lru-cache';
import { type Logger } from 'pino';
import { type Delivery } from '#platform/bus/bus.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import {
  type AnyEngineDefinition,
  type Engine,
  type EngineCount,
  type EngineDefinition,
  type EngineHost,
  type EngineStatus,
} from '#platform/tasks/engine.js';
import { runTask } from '#platform/tasks/engine-run.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { type PlatformFailureCode, taskErrorOf } from '#platform/tasks/task.failures.js';
import {
  CancellationHeaders,
  runId,
  TaskHeaders,
  taskPlace,
} from '#platform/tasks/task.protocol.js';
import { type TaskSeal } from '#platform/tasks/task.seal.js';
import { type ReplyOutbox } from './reply-outbox.js';
import { RunReplies } from './run-replies.js';
import { type TaskOutcome, type WorkerMetrics } from './worker.metrics.js';

export interface TaskRunnerOptions {
  readonly definition: AnyEngineDefinition;
  /** Of the gateways' key. */
  readonly seal: TaskSeal;
  /** Shared by the runners of a worker. */
  readonly outbox: ReplyOutbox;
  /** The name of this worker. */
  readonly worker: string;
  readonly metrics: WorkerMetrics;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** The interval of beats of a run without pieces; default 1,000. */
  readonly beatMs?: number;
}

interface Run {
  readonly id: string;
  readonly task: string;
  readonly attempt: number;
  readonly stop: AbortController;
  readonly replies: RunReplies;
}

const BEAT_MS = 1_000;
/** The number of recent attempts and cancellations that the runner remembers. */
const REMEMBERED_MAX = 10_000;

const OPENING: EngineStatus = { ready: false, reasons: ['it is not open'], facts: {} };

/** The reason of a stopped run, which the gateway receives. A cancelled run sends nothing. */
class WorkerStops extends Error {
  readonly code = 'closed';
}

/** Runs the tasks of one engine in this worker, each attempt at most once. */
export class TaskRunner {
  readonly #runs = new Map<string, Run>();
  readonly #ended = new Set<Promise<void>>();
  readonly #seen = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  /** The last cancelled attempt of a task. */
  readonly #cancelled = new LRUCache<string, number>({ max: REMEMBERED_MAX });
  readonly #beating: NodeJS.Timeout;
  #engine: Engine<unknown, unknown, unknown> | undefined;
  /** Attempts of jobs that use the engine. */
  #jobs = 0;
  #done = 0;
  /** When the first of the current tasks started, and the sum of earlier times with tasks. */
  #busySinceMs = 0;
  #busyMs = 0;

  constructor(private readonly options: TaskRunnerOptions) {
    this.#beating = setInterval(() => {
      for (const { replies } of this.#runs.values()) replies.beat();
    }, options.beatMs ?? BEAT_MS).unref();
  }

  get definition(): AnyEngineDefinition {
    return this.options.definition;
  }

  /** The number of open tasks. */
  get running(): number {
    return this.#runs.size;
  }

  /** The work since the start. */
  work(): { readonly doneTasks: number; readonly busyMs: number } {
    const nowMs = performance.now();
    const current = this.#runs.size > 0 ? nowMs - this.#busySinceMs : 0;
    return { doneTasks: this.#done, busyMs: Math.round(this.#busyMs + current) };
  }

  /** The tasks that could start now. */
  get free(): number {
    const isReady = this.status().ready;
    return isReady ? Math.max(0, this.definition.tasksMax.worker - this.#occupied) : 0;
  }

  get #occupied(): number {
    return this.#runs.size + this.#jobs;
  }

  /** Opens the engine. Await it before the first task. */
  async open(host: EngineHost): Promise<void> {
    this.#engine = await this.definition.open(host);
  }

  status(): EngineStatus {
    return this.#engine?.status() ?? OPENING;
  }

  counts(): readonly EngineCount[] {
    return this.#engine?.counts?.() ?? [];
  }

  /** Starts a task. Its replies go to its reply topic. @throws Error for a malformed task */
  take({ headers, data }: Delivery): void {
    const { task, attempt, 'reply-topic': topic, 'take-by': takeBy } = TaskHeaders.parse(headers);
    const id = `${task}.${attempt}`;
    const cancelled = attempt <= (this.#cancelled.get(task) ?? 0);
    if (cancelled || this.#seen.has(id)) {
      this.#count(cancelled ? 'cancelled' : 'repeated');
      return;
    }
    const run = this.#runOf(id, task, attempt, topic);
    if (this.options.clock.now() > takeBy) {
      this.#reject(run, 'expired', 'the task arrived after its time');
      return;
    }
    const tasksMax = this.definition.tasksMax.worker;
    if (this.#occupied >= tasksMax) {
      this.#reject(run, 'busy', `this worker has ${tasksMax} tasks of ${this.definition.name}`);
      return;
    }
    this.#seen.set(id, true);
    if (this.#runs.size === 0) this.#busySinceMs = performance.now();
    this.#runs.set(id, run);
    const ended = this.#run(run, data).finally(() => {
      this.#runs.delete(id);
      if (this.#runs.size === 0) this.#busyMs += performance.now() - this.#busySinceMs;
      this.#ended.delete(ended);
    });
    this.#ended.add(ended);
  }

  /** Stops cancelled runs. @throws Error for a malformed cancellation */
  cancel({ headers }: Delivery): void {
    const { task, through, except } = CancellationHeaders.parse(headers);
    this.#cancelled.set(task, Math.max(through, this.#cancelled.get(task) ?? 0));
    for (const run of this.#runs.values()) {
      const isCancelled = run.task === task && run.attempt <= through;
      if (isCancelled && runId(run.attempt, this.options.worker) !== except) run.stop.abort();
    }
  }

  /**
   * Runs an attempt of a job on the engine, beside the tasks of gateways.
   * @param definition the runner's own
   * @throws TaskError `closed`, and what the engine throws
   */
  async *runJob<Input, Piece, End>(
    definition: EngineDefinition<Input, Piece, End>,
    input: Input,
    signal: AbortSignal,
  ): AsyncGenerator<Piece, End, void> {
    if (!this.#engine) throw new TaskError('closed', 'the engine is not open');
    this.#jobs += 1;
    try {
      // The runner opened the engine by this very definition.
      const engine = this.#engine as Engine<Input, Piece, End>;
      return yield* runTask(definition, engine, input, signal);
    } finally {
      this.#jobs -= 1;
    }
  }

  /**
   * Waits for runs to end, fails the others with `closed`, and closes the engine.
   * @param jobsEnded resolves when no attempt of a job uses the engine
   */
  async close(drainMs: number, jobsEnded: Promise<void> = Promise.resolve()): Promise<void> {
    const deadline = setTimeout(() => {
      for (const { stop } of this.#runs.values()) stop.abort(new WorkerStops('the worker stops'));
    }, drainMs);
    await Promise.all(this.#ended);
    clearTimeout(deadline);
    clearInterval(this.#beating);
    await this.options.outbox.drained();
    await jobsEnded;
    await this.#engine?.close();
  }

  #runOf(id: string, task: string, attempt: number, topic: string): Run {
    const { worker, logger, seal, outbox, definition } = this.options;
    const stop = new AbortController();
    const identity = { engine: definition.name, task, attempt, worker };
    const replies: RunReplies = new RunReplies(identity, seal, (isUrgent) => {
      outbox.wanted(topic, source, isUrgent);
    });
    const source = {
      take: () => replies.take(),
      lost: (error: unknown) => {
        logger.warn({ err: error, task }, 'replies could not be published; the task is abandoned');
        stop.abort();
      },
    };
    return { id, task, attempt, stop, replies };
  }

  /** Does not remember the attempt: a repeated delivery may find room. */
  #reject({ replies }: Run, code: PlatformFailureCode, message: string): void {
    replies.failed({ code, message });
    this.#count(code);
  }

  #count(outcome: TaskOutcome, seconds?: number): void {
    this.options.metrics.ended(this.definition.name, outcome, seconds);
  }

  async #run(run: Run, data: unknown): Promise<void> {
    const startedMs = performance.now();
    const outcome = await this.#outcomeOf(run, data);
    if (outcome === 'done') this.#done += 1;
    this.#count(outcome, (performance.now() - startedMs) / 1_000);
  }

  async #outcomeOf(run: Run, data: unknown): Promise<TaskOutcome> {
    const { task, replies, stop } = run;
    replies.started();
    try {
      const end = await this.#answer(this.#opened(run, data), run);
      stop.signal.throwIfAborted();
      replies.done(end);
      return 'done';
    } catch (error) {
      const cause: unknown = stop.signal.aborted ? stop.signal.reason : error;
      if (stop.signal.aborted && !(cause instanceof WorkerStops)) {
        replies.forget();
        return 'cancelled';
      }
      const failure = taskErrorOf(this.definition, cause);
      replies.failed({ code: failure.code, message: failure.message });
      this.options.logger.warn({ err: cause, task }, 'a task has failed');
      return failure.code;
    }
  }

  async #answer(input: unknown, { replies, stop }: Run): Promise<unknown> {
    if (!this.#engine) throw new TaskError('closed', 'the engine is not open');
    const pieces = runTask(this.definition, this.#engine, input, stop.signal);
    try {
      let next = await pieces.next();
      for (; !next.done; next = await pieces.next()) replies.piece(next.value);
      return next.value;
    } finally {
      await pieces.return(null);
    }
  }

  #opened({ task, attempt }: Run, data: unknown): unknown {
    const { definition, seal } = this.options;
    try {
      return seal.open(taskPlace(definition.name, task, attempt), data, definition.input);
    } catch (cause) {
      const message = 'a task cannot be opened: does its gateway have the same master key?';
      throw new TaskError('unreadable', message, { cause });
    }
  }
}
