import { LRUCache } from 'lru-cache';
import { type Logger } from 'pino';
import { TaskSeal } from '#areas/inference/rigs/workers/task.seal.js';
import {
  CancellationHeaders,
  runId,
  TaskFailureCode,
  TaskHeaders,
  taskPlace,
  TextTask,
} from '#areas/inference/rigs/workers/worker.protocol.js';
import {
  type CompletionUsage,
  type LanguageModelEngine,
} from '#engines/language-model/language-model.engine.js';
import { type Bus, type Delivery } from '#platform/bus/bus.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type ModelShelf } from './model-shelf.js';
import { ReplyOutbox } from './reply-outbox.js';
import { RunReplies } from './run-replies.js';
import { type TaskOutcome, type WorkerMetrics } from './worker-metrics.js';

export interface TaskRunnerOptions {
  readonly bus: Pick<Bus, 'publish'>;
  /** 32 bytes, of the purpose `TASK_KEY_PURPOSE`; gateways have the same. */
  readonly key: Buffer;
  /** This worker among its like. */
  readonly worker: string;
  readonly engine: Pick<LanguageModelEngine, 'stream'>;
  readonly models: Pick<ModelShelf, 'fileOf'>;
  /** Tasks taken at once, those that wait for the engine among them; one more is refused. */
  readonly tasksMax: number;
  readonly metrics: WorkerMetrics;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** How often a run that has nothing to hand over says that it is there; default 1,000. */
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
/** Repeats and cancellations are recognised among so many of the latest. */
const REMEMBERED_MAX = 10_000;

const NOTHING: CompletionUsage = { promptTokens: 0, completionTokens: 0, finishReason: 'stop' };

/** Why a run is stopped from here; whoever waits is told. A cancelled run says nothing more. */
class WorkerStops extends Error {
  readonly code = 'closed';
}

/** Runs the tasks that this worker is given, each attempt at most once. */
export class TaskRunner {
  readonly #seal: TaskSeal;
  readonly #outbox: ReplyOutbox;
  readonly #runs = new Map<string, Run>();
  readonly #ended = new Set<Promise<void>>();
  readonly #seen = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  /** The last attempt of a task that nobody waits for. */
  readonly #cancelled = new LRUCache<string, number>({ max: REMEMBERED_MAX });
  readonly #beating: NodeJS.Timeout;

  constructor(private readonly options: TaskRunnerOptions) {
    this.#seal = new TaskSeal(options.key);
    this.#outbox = new ReplyOutbox(options.bus);
    this.#beating = setInterval(() => {
      for (const { replies } of this.#runs.values()) replies.beat();
    }, options.beatMs ?? BEAT_MS).unref();
  }

  get running(): number {
    return this.#runs.size;
  }

  /** Begins the task; what comes of it is said on its reply topic. Throws for what is no task. */
  take({ headers, data }: Delivery): void {
    const { task, attempt, 'reply-topic': topic, 'take-by': takeBy } = TaskHeaders.parse(headers);
    const id = `${task}.${attempt}`;
    const cancelled = attempt <= (this.#cancelled.get(task) ?? 0);
    if (cancelled || this.#seen.has(id)) {
      this.options.metrics.ended(cancelled ? 'cancelled' : 'repeated');
      return;
    }
    const run = this.#runOf(id, task, attempt, topic);
    if (this.options.clock.now() > takeBy) {
      this.#refuse(run, 'expired', 'the task came after its time');
      return;
    }
    if (this.#runs.size >= this.options.tasksMax) {
      this.#refuse(run, 'busy', `this worker has ${this.options.tasksMax} tasks`);
      return;
    }
    this.#seen.set(id, true);
    this.#runs.set(id, run);
    const ended = this.#run(run, data).finally(() => {
      this.#runs.delete(id);
      this.#ended.delete(ended);
    });
    this.#ended.add(ended);
  }

  /** Stops every run that is meant and not waited for. Throws for what is no cancellation. */
  cancel({ headers }: Delivery): void {
    const { task, through, except } = CancellationHeaders.parse(headers);
    this.#cancelled.set(task, Math.max(through, this.#cancelled.get(task) ?? 0));
    for (const run of this.#runs.values()) {
      const isMeant = run.task === task && run.attempt <= through;
      if (isMeant && runId(run.attempt, this.options.worker) !== except) run.stop.abort();
    }
  }

  /** Lets runs end by themselves for so long, then tells those who wait for the rest. */
  async drain(ms: number): Promise<void> {
    const impatience = setTimeout(() => {
      for (const { stop } of this.#runs.values()) stop.abort(new WorkerStops('the worker stops'));
    }, ms);
    await Promise.all(this.#ended);
    clearTimeout(impatience);
    clearInterval(this.#beating);
    await this.#outbox.drained();
  }

  #runOf(id: string, task: string, attempt: number, topic: string): Run {
    const { worker, logger } = this.options;
    const stop = new AbortController();
    const replies: RunReplies = new RunReplies(
      { task, attempt, worker },
      this.#seal,
      (isUrgent) => {
        this.#outbox.wanted(topic, source, isUrgent);
      },
    );
    const source = {
      take: () => replies.take(),
      lost: (error: unknown) => {
        logger.warn({ err: error, task }, 'replies could not be published; the task is given up');
        stop.abort();
      },
    };
    return { id, task, attempt, stop, replies };
  }

  /** Not remembered: the same attempt may find room when it is delivered again. */
  #refuse({ replies }: Run, code: TaskFailureCode, message: string): void {
    replies.failed({ code, message });
    this.options.metrics.ended(code);
  }

  async #run(run: Run, data: unknown): Promise<void> {
    const startedMs = performance.now();
    const outcome = await this.#outcomeOf(run, data);
    this.options.metrics.ended(outcome, (performance.now() - startedMs) / 1_000);
  }

  async #outcomeOf(run: Run, data: unknown): Promise<TaskOutcome> {
    const { task, attempt, replies, stop } = run;
    replies.started();
    try {
      const request = this.#opened(task, attempt, data);
      const end = await this.#generate(request, run);
      stop.signal.throwIfAborted();
      replies.done(end);
      this.options.metrics.generated(end.completionTokens);
      return 'done';
    } catch (error) {
      const cause: unknown = stop.signal.aborted ? stop.signal.reason : error;
      if (stop.signal.aborted && !(cause instanceof WorkerStops)) {
        replies.forget();
        return 'cancelled';
      }
      const code = codeOf(cause);
      replies.failed({ code, message: cause instanceof Error ? cause.message : String(cause) });
      this.options.logger.warn({ err: cause, task }, 'a task has failed');
      return code;
    }
  }

  async #generate({ modelSha256, ...request }: TextTask, run: Run): Promise<CompletionUsage> {
    const { signal } = run.stop;
    const modelFile = await this.options.models.fileOf(modelSha256);
    let used = NOTHING;
    const pieces = this.options.engine.stream({ ...request, modelFile }, signal, (now) => {
      used = now;
    });
    try {
      let piece = await pieces.next();
      for (; !piece.done; piece = await pieces.next()) run.replies.piece(piece.value, used);
      return piece.value;
    } finally {
      await pieces.return(NOTHING);
    }
  }

  #opened(task: string, attempt: number, data: unknown): TextTask {
    try {
      return this.#seal.open(taskPlace(task, attempt), data, TextTask);
    } catch (cause) {
      const message = 'a task cannot be opened: has its gateway the master key of this worker?';
      throw Object.assign(new Error(message, { cause }), { code: 'unreadable' });
    }
  }
}

/** Whatever else goes wrong while a model runs is the model's failure. */
const codeOf = (error: unknown): TaskFailureCode => {
  const code = typeof error === 'object' && error !== null && 'code' in error && error.code;
  const known = TaskFailureCode.safeParse(code);
  return known.success ? known.data : 'model_failed';
};
