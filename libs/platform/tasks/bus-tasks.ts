import { randomUUID } from 'node:crypto';
import { type Logger } from 'pino';
import { type z } from 'zod';
import { type Bus, type BusMessage, type Listener } from '#platform/bus/bus.port.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { within } from '#platform/kernel/within.js';
import { type EngineDefinition } from './engine.js';
import { inputOf } from './engine-run.js';
import { type LentFile } from './file.protocol.js';
import { LentFiles } from './lent-files.js';
import { OpenTask, type Reply, TASK_LIMITS, type TaskLimits } from './open-task.js';
import { TaskError } from './task.error.js';
import {
  cancellationsTopicOf,
  type Page,
  pageOf,
  pinnedTasksTopicOf,
  repliesTopicOf,
  ReplyHeaders,
  replyPlace,
  TaskFailure,
  taskPlace,
  tasksTopicOf,
} from './task.protocol.js';
import { TaskSeal } from './task.seal.js';
import { type TaskHosting, type TaskOptions, Tasks } from './tasks.port.js';

export interface BusTasksOptions {
  readonly bus: Pick<Bus, 'publish' | 'listen'>;
  /** The name of this process, unique in the fleet; a letter, then up to 100 of `a-z 0-9 - .`. */
  readonly instance: string;
  /** 32 bytes, of the purpose `TASK_KEY_PURPOSE`; workers have the same key. */
  readonly key: Buffer;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly clock?: Clock;
  readonly limits?: Partial<TaskLimits>;
}

/** Has workers run the tasks; the replies of every engine's tasks arrive on one topic. */
export const createBusTasks = (options: BusTasksOptions): TaskHosting => new BusTasks(options);

/** Clocks of two machines may differ by this much before tasks are dropped as expired. */
const CLOCK_SKEW_MS_MAX = 5_000;

/** A task that awaits replies. */
interface Awaiting {
  hear(headers: ReplyHeaders, data: unknown): void;
  fail(error: TaskError): void;
}

/** Null when the signal aborted before the last page. */
async function* read<Piece, End>(
  task: OpenTask<Piece, End>,
  signal: AbortSignal,
): AsyncGenerator<Piece, End | null, void> {
  for (;;) {
    const page = await task.next(signal);
    if (!page) return null;
    for (const piece of page.pieces) {
      if (signal.aborted) return null;
      yield piece;
    }
    if (page.end !== undefined) return page.end;
  }
}

class BusTasks extends Tasks implements TaskHosting {
  readonly seesLocalFiles = false;
  readonly #seal: TaskSeal;
  readonly #clock: Clock;
  readonly #limits: TaskLimits;
  readonly #repliesTopic: string;
  readonly #open = new Map<string, Awaiting>();
  /** By definition, so that a schema is built once. */
  readonly #pages = new WeakMap<object, z.ZodType<Page<unknown, unknown>>>();
  readonly #files: LentFiles;
  #listening: Promise<void> | undefined;
  #listener: Listener | undefined;
  #closed = false;

  constructor(private readonly options: BusTasksOptions) {
    super();
    this.#seal = new TaskSeal(options.key);
    this.#clock = options.clock ?? systemClock;
    this.#limits = { ...TASK_LIMITS, ...options.limits };
    this.#repliesTopic = repliesTopicOf(options.instance);
    this.#files = new LentFiles({ ...options, seal: this.#seal });
  }

  async *run<Input, Piece, End>(
    engine: EngineDefinition<Input, Piece, End>,
    input: Input,
    signal: AbortSignal,
    { worker }: TaskOptions = {},
  ): AsyncGenerator<Piece, End | null, void> {
    const json = JSON.stringify(inputOf(engine, input));
    await this.#listeningInTime();
    if (signal.aborted) return null;
    const task = this.#begin(engine, json, worker);
    const wake = (): void => task.wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      return yield* read(task, signal);
    } finally {
      signal.removeEventListener('abort', wake);
      this.#open.delete(task.id);
      task.end();
    }
  }

  override async lend(file: LentFile): Promise<string> {
    if (this.#closed) throw new TaskError('closed', 'the process that asks is stopping');
    try {
      return await within(this.#files.lend(file), this.#limits.takeMsMax);
    } catch (cause) {
      throw new TaskError('no_worker', 'a file cannot be lent to workers yet', { cause });
    }
  }

  listen(): Promise<void> {
    this.#listening ??= this.#listen().catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    });
    return this.#listening;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#open.values()) {
      task.fail(new TaskError('closed', 'the process that asks is stopping'));
    }
    await this.#listener?.close();
    await this.#files.close();
  }

  /** Without a group: replies to an earlier process of this name are of no use. */
  async #listen(): Promise<void> {
    const listener = await this.options.bus.listen({
      topic: this.#repliesTopic,
      handle: (message) => this.#hear(message),
      onFailed: (error) => {
        this.options.logger.error({ err: error }, 'a message on the reply topic is no reply');
      },
    });
    if (this.#closed) await listener.close();
    else this.#listener = listener;
  }

  async #listeningInTime(): Promise<void> {
    if (this.#closed) throw new TaskError('closed', 'the process that asks is stopping');
    try {
      await within(this.listen(), this.#limits.takeMsMax, () => {
        throw new TaskError('no_worker', 'replies of workers cannot be received yet');
      });
    } catch (cause) {
      if (cause instanceof TaskError) throw cause;
      throw new TaskError('no_worker', 'replies of workers cannot be received', { cause });
    }
  }

  /**
   * @param json the input
   * @param worker the only one that may run it: another offer would reach it again
   */
  #begin<Piece, End>(
    engine: EngineDefinition<unknown, Piece, End>,
    json: string,
    worker: string | undefined,
  ): OpenTask<Piece, End> {
    const task: OpenTask<Piece, End> = new OpenTask(
      engine,
      {
        offer: (attempt) => this.#offer(engine.name, task.id, attempt, json, worker),
        cancel: (through, except) => this.#cancel(engine.name, task.id, through, except),
      },
      worker === undefined ? this.#limits : { ...this.#limits, attemptsMax: 1 },
    );
    this.#open.set(task.id, {
      hear: (headers, data) => task.receive(this.#opened(engine, headers, data)),
      fail: (error) => task.fail(error),
    });
    task.begin();
    return task;
  }

  #offer(
    engine: string,
    task: string,
    attempt: number,
    json: string,
    worker: string | undefined,
  ): Promise<void> {
    const takeBy = this.#clock.now() + this.#limits.takeMsMax + CLOCK_SKEW_MS_MAX;
    const headers = {
      task,
      attempt: String(attempt),
      'reply-topic': this.#repliesTopic,
      'take-by': String(Math.ceil(takeBy)),
      ...(worker !== undefined && { engine }),
    };
    const data = this.#seal.seal(taskPlace(engine, task, attempt), json);
    const message = { key: `${task}.${attempt}`, id: randomUUID(), headers, data };
    const topic = worker === undefined ? tasksTopicOf(engine) : pinnedTasksTopicOf(worker);
    return this.options.bus.publish(topic, [message]);
  }

  /** Not awaited: a lost cancellation costs a worker the rest of one task and nothing else. */
  #cancel(engine: string, task: string, through: number, except: string): void {
    const headers = { task, through: String(through), except };
    const message = { key: task, id: randomUUID(), headers, data: null };
    this.options.bus.publish(cancellationsTopicOf(engine), [message]).catch((error: unknown) => {
      this.options.logger.warn({ err: error, task }, 'a task could not be cancelled');
    });
  }

  #hear({ headers, data }: BusMessage): void {
    const reply = ReplyHeaders.parse(headers);
    const task = this.#open.get(reply.task);
    // The task has ended, or belongs to an earlier process of this name.
    if (!task) return;
    try {
      task.hear(reply, data);
    } catch (error) {
      const message = 'a worker’s reply cannot be opened: does it have the same master key?';
      this.options.logger.error({ err: error, worker: reply.worker }, message);
      task.fail(new TaskError('unreadable', message, { cause: error }));
    }
  }

  #opened<Piece, End>(
    engine: EngineDefinition<unknown, Piece, End>,
    headers: ReplyHeaders,
    data: unknown,
  ): Reply<Piece, End> {
    const { kind, ...rest } = headers;
    const place = replyPlace(engine.name, headers);
    switch (kind) {
      case 'started':
      case 'beat':
        return { kind, ...rest, body: null };
      case 'page':
        return { kind, ...rest, body: this.#seal.open(place, data, this.#pageOf(engine)) };
      case 'failed':
        return { kind, ...rest, body: this.#seal.open(place, data, TaskFailure) };
    }
  }

  #pageOf<Piece, End>(engine: EngineDefinition<unknown, Piece, End>): z.ZodType<Page<Piece, End>> {
    const known = this.#pages.get(engine) ?? pageOf(engine);
    this.#pages.set(engine, known);
    // The map holds the schema that this very definition made.
    return known as z.ZodType<Page<Piece, End>>;
  }
}
