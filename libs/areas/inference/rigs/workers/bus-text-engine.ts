import { randomUUID } from 'node:crypto';
import { type Logger } from 'pino';
import { type Bus, type Consumer, type Delivery } from '#platform/bus/bus.port.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { type TextRequest } from '../embedded-request.js';
import { type TextEnd, type TextEngine } from '../embedded-rig.js';
import { OpenTask, type Reply, TASK_LIMITS, type TaskLimits } from './open-task.js';
import { TaskSeal } from './task.seal.js';
import { WorkerTaskError } from './worker-task.error.js';
import {
  CANCELLATIONS_TOPIC,
  repliesTopicOf,
  ReplyHeaders,
  replyPlace,
  TaskFailure,
  taskPlace,
  TASKS_TOPIC,
  TextPage,
  type TextTask,
} from './worker.protocol.js';

export interface BusTextEngineOptions {
  readonly bus: Pick<Bus, 'publish' | 'consume'>;
  /** This process among its like, unique in the fleet; a letter, then up to 100 of `a-z 0-9 - .`. */
  readonly instance: string;
  /** 32 bytes, of the purpose `TASK_KEY_PURPOSE`; workers have the same. */
  readonly key: Buffer;
  /** Of the model's file here, in lower-case hex; workers find their own copy by it. */
  readonly sha256Of: (modelFile: string) => Promise<string>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly clock?: Clock;
  readonly limits?: Partial<TaskLimits>;
}

/** A text engine whose work is done by workers. */
export interface BusTextEngine extends TextEngine {
  /**
   * Begins to hear replies. The first stream does so, too, but joining a broker's group takes
   * seconds, and a process that serves nobody need not.
   * @throws BusError
   */
  listen(): Promise<void>;
  /** Fails what is open. */
  close(): Promise<void>;
}

/** Clocks of two machines may differ by so much before tasks are dropped that could be done. */
const CLOCK_SKEW_MS_MAX = 5_000;

const NOTHING: TextEnd = { promptTokens: 0, completionTokens: 0, finishReason: 'stop' };

async function* read(task: OpenTask, signal: AbortSignal): AsyncGenerator<string, TextEnd> {
  let used = NOTHING;
  for (;;) {
    const page = await task.next(signal);
    if (!page) return used;
    const { pieces, promptTokens, end } = page;
    for (const [text, completionTokens] of pieces) {
      if (signal.aborted) return used;
      used = { promptTokens, completionTokens, finishReason: 'stop' };
      yield text;
    }
    if (end) return { promptTokens, ...end };
  }
}

export const createBusTextEngine = (options: BusTextEngineOptions): BusTextEngine =>
  new WorkersOverBus(options);

class WorkersOverBus implements BusTextEngine {
  readonly #seal: TaskSeal;
  readonly #clock: Clock;
  readonly #limits: TaskLimits;
  readonly #repliesTopic: string;
  readonly #open = new Map<string, OpenTask>();
  #consumer: Promise<Consumer> | undefined;
  #closed = false;

  constructor(private readonly options: BusTextEngineOptions) {
    this.#seal = new TaskSeal(options.key);
    this.#clock = options.clock ?? systemClock;
    this.#limits = { ...TASK_LIMITS, ...options.limits };
    this.#repliesTopic = repliesTopicOf(options.instance);
  }

  async *stream(request: TextRequest, signal: AbortSignal): AsyncGenerator<string, TextEnd> {
    const { modelFile, ...asked } = request;
    const modelSha256 = await this.options.sha256Of(modelFile);
    await this.#listeningInTime();
    if (signal.aborted) return NOTHING;
    const task = this.#begin({ ...asked, modelSha256 });
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

  async listen(): Promise<void> {
    await this.#listening();
  }

  #listening(): Promise<Consumer> {
    this.#consumer ??= this.options.bus
      .consume({
        topic: this.#repliesTopic,
        group: this.#repliesTopic,
        // A reply that cannot be read is told to its task, and never better the next time.
        attemptsMax: 1,
        handle: (delivery) => {
          this.#hear(delivery);
          return Promise.resolve();
        },
      })
      .catch((error: unknown) => {
        this.#consumer = undefined;
        throw error;
      });
    return this.#consumer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#open.values()) {
      task.fail(new WorkerTaskError('closed', 'the gateway stops'));
    }
    const consumer = await this.#consumer?.catch(() => undefined);
    await consumer?.close();
  }

  async #listeningInTime(): Promise<void> {
    if (this.#closed) throw new WorkerTaskError('closed', 'the gateway stops');
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(new WorkerTaskError('no_worker', 'replies of workers cannot be heard yet'));
    }, this.#limits.takeMsMax);
    try {
      await Promise.race([this.#listening(), late]);
    } catch (cause) {
      if (cause instanceof WorkerTaskError) throw cause;
      throw new WorkerTaskError('no_worker', 'replies of workers cannot be heard', { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  #begin(content: TextTask): OpenTask {
    const task: OpenTask = new OpenTask(
      {
        offer: (attempt) => this.#offer(task.id, attempt, content),
        cancel: (through, except) => this.#cancel(task.id, through, except),
      },
      this.#limits,
    );
    this.#open.set(task.id, task);
    task.begin();
    return task;
  }

  #offer(task: string, attempt: number, content: TextTask): Promise<void> {
    const takeBy = this.#clock.now() + this.#limits.takeMsMax + CLOCK_SKEW_MS_MAX;
    const headers = {
      task,
      attempt: String(attempt),
      'reply-topic': this.#repliesTopic,
      'take-by': String(Math.ceil(takeBy)),
    };
    const data = this.#seal.seal(taskPlace(task, attempt), content);
    const message = { key: `${task}.${attempt}`, id: randomUUID(), headers, data };
    return this.options.bus.publish(TASKS_TOPIC, [message]);
  }

  /** Not waited for: a cancellation that is lost costs a worker some tokens, and nobody else. */
  #cancel(task: string, through: number, except: string): void {
    const headers = { task, through: String(through), except };
    const message = { key: task, id: randomUUID(), headers, data: null };
    this.options.bus.publish(CANCELLATIONS_TOPIC, [message]).catch((error: unknown) => {
      this.options.logger.warn({ err: error, task }, 'a task could not be cancelled');
    });
  }

  #hear({ headers, data }: Delivery): void {
    const read = ReplyHeaders.parse(headers);
    const task = this.#open.get(read.task);
    // Of a task that has ended, or of this instance's last life.
    if (!task) return;
    try {
      task.receive(this.#opened(read, data));
    } catch (error) {
      const message = 'a worker’s reply cannot be opened: has it the master key of this gateway?';
      this.options.logger.error({ err: error, worker: read.worker }, message);
      task.fail(new WorkerTaskError('unreadable', message, { cause: error }));
    }
  }

  #opened(read: ReplyHeaders, data: unknown): Reply {
    const { kind, ...rest } = read;
    const place = replyPlace(read);
    switch (kind) {
      case 'started':
      case 'beat':
        return { kind, ...rest, body: null };
      case 'page':
        return { kind, ...rest, body: this.#seal.open(place, data, TextPage) };
      case 'failed':
        return { kind, ...rest, body: this.#seal.open(place, data, TaskFailure) };
    }
  }
}
