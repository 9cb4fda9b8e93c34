import { randomUUID } from 'node:crypto';
import { BusError } from '#platform/bus/bus.errors.js';
import { type EngineDefinition } from './engine.js';
import { TaskError } from './task.error.js';
import { helpsElsewhere, type PlatformFailureCode } from './task.failures.js';
import { type Page, type ReplyHeaders, runId, type TaskFailure } from './task.protocol.js';

export interface TaskLimits {
  /** Attempts of one task in all. */
  readonly attemptsMax: number;
  /** A task that no worker has taken after this time is offered once more, under another key. */
  readonly hedgeMs: number;
  /** From the first offer until a worker starts the task. */
  readonly takeMsMax: number;
  /** Between two replies of the worker that runs it; workers reply at least every second. */
  readonly silenceMsMax: number;
}

/**
 * A second offer after 400 ms reaches another worker when the first went to a dead one, and costs
 * nothing when the first is taken in time. With one of two workers dead, five offers fail once in
 * 32 tasks. 5 s are longer than a broker's rebalance.
 */
export const TASK_LIMITS: TaskLimits = {
  attemptsMax: 5,
  hedgeMs: 400,
  takeMsMax: 5_000,
  silenceMsMax: 5_000,
};

/** A reply whose body has been opened. */
export type Reply<Piece, End> =
  | (Reading<'started' | 'beat'> & { readonly body: null })
  | (Reading<'page'> & { readonly body: Page<Piece, End> })
  | (Reading<'failed'> & { readonly body: TaskFailure });
type Reading<Kind> = Omit<ReplyHeaders, 'kind'> & { readonly kind: Kind };

export interface TaskPost {
  /** Offers the task to the workers. */
  readonly offer: (attempt: number) => Promise<void>;
  /** Cancels all attempts up to `through` except the run `except`; empty for none. */
  readonly cancel: (through: number, except: string) => void;
}

/** The run whose replies count. */
interface Holder {
  readonly attempt: number;
  readonly worker: string;
  /** The number of its next reply. */
  next: number;
}

/**
 * One task among the workers, from the first offer to its end. Attempts may overlap; the first run
 * that reports `started` holds the task, and replies of any other run are dropped.
 */
export class OpenTask<Piece, End> {
  readonly id = randomUUID();
  readonly #pages: (Page<Piece, End> | TaskError)[] = [];
  #wake: (() => void) | undefined;
  #attempts = 0;
  /** Attempts below it were abandoned. */
  #fence = 1;
  readonly #rejected = new Set<number>();
  #holder: Holder | null = null;
  #hasPages = false;
  #settled = false;
  #deadline: NodeJS.Timeout | undefined;
  #hedge: NodeJS.Timeout | undefined;

  constructor(
    private readonly engine: Pick<EngineDefinition<unknown, Piece, End>, 'failures'>,
    private readonly post: TaskPost,
    private readonly limits: TaskLimits,
  ) {}

  begin(): void {
    this.#expect(this.limits.takeMsMax, 'no_worker', 'no worker took the task in time');
    this.#offer();
  }

  receive(reply: Reply<Piece, End>): void {
    if (this.#settled || reply.attempt < this.#fence) return;
    const holder = this.#holder ?? this.#hold(reply);
    if (!holder) {
      if (reply.kind === 'failed') this.#rejectedBy(reply.attempt, reply.body);
      return;
    }
    if (reply.attempt !== holder.attempt || reply.worker !== holder.worker) {
      // The broker delivered one attempt to two workers, or a late attempt has started.
      if (reply.kind === 'started') this.#keepOnly(holder);
      return;
    }
    if (reply.number < holder.next) return;
    if (reply.number > holder.next) {
      this.fail(new TaskError('worker_lost', `reply ${holder.next} of the worker is missing`));
      return;
    }
    holder.next += 1;
    this.#expect(this.limits.silenceMsMax, 'worker_lost', 'the worker sends no more replies');
    this.#take(reply);
  }

  /** Fails the task from this side and cancels its runs. */
  fail(error: TaskError): void {
    if (this.#settled) return;
    this.post.cancel(this.#attempts, '');
    this.#finish(error);
  }

  /**
   * The next page; null once the signal has aborted.
   * @throws TaskError
   */
  async next(signal: AbortSignal): Promise<Page<Piece, End> | null> {
    for (;;) {
      if (signal.aborted) return null;
      const page = this.#pages.shift();
      if (page instanceof TaskError) throw page;
      if (page) return page;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Makes `next` check its signal. */
  wake(): void {
    this.#wake?.();
  }

  /** The caller reads no more: cancels the runs unless the task has ended. */
  end(): void {
    if (this.#settled) return;
    this.#settle();
    this.post.cancel(this.#attempts, '');
  }

  #hold({ kind, attempt, worker, number }: Reply<Piece, End>): Holder | null {
    // A higher number belongs to a run that started before this process did.
    if (kind !== 'started' || number !== 0) return null;
    this.#holder = { attempt, worker, next: 0 };
    clearTimeout(this.#hedge);
    if (this.#attempts - this.#rejected.size > 1) this.#keepOnly(this.#holder);
    return this.#holder;
  }

  #keepOnly({ attempt, worker }: Holder): void {
    this.post.cancel(this.#attempts, runId(attempt, worker));
  }

  #take(reply: Reply<Piece, End>): void {
    switch (reply.kind) {
      case 'started':
      case 'beat':
        return;
      case 'page':
        this.#hasPages = true;
        if (reply.body.end !== undefined) this.#settle();
        this.#put(reply.body);
        return;
      case 'failed':
        this.#failed(reply.body);
        return;
    }
  }

  #failed(failure: TaskFailure): void {
    if (this.#hasPages) {
      this.#finish(errorOf(failure));
      return;
    }
    // The other attempts were cancelled when this run started.
    for (let attempt = this.#fence; attempt <= this.#attempts; attempt += 1) {
      this.#rejected.add(attempt);
    }
    this.#fence = this.#attempts + 1;
    this.#holder = null;
    this.#expect(this.limits.takeMsMax, 'no_worker', 'no other worker took the task in time');
    this.#rejectedBy(this.#attempts, failure);
  }

  #rejectedBy(attempt: number, failure: TaskFailure): void {
    this.#rejected.add(attempt);
    if (!helpsElsewhere(this.engine, failure.code)) this.#finish(errorOf(failure));
    else if (this.#attempts < this.limits.attemptsMax) this.#offer();
    else if (this.#rejected.size >= this.#attempts) this.#finish(errorOf(failure));
  }

  #offer(): void {
    const attempt = (this.#attempts += 1);
    clearTimeout(this.#hedge);
    if (attempt < this.limits.attemptsMax) {
      this.#hedge = setTimeout(() => this.#offer(), this.limits.hedgeMs);
    }
    this.post.offer(attempt).catch((error: unknown) => this.fail(failureOfBus(error)));
  }

  #expect(ms: number, code: 'no_worker' | 'worker_lost', otherwise: string): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.fail(new TaskError(code, otherwise)), ms);
  }

  #put(page: Page<Piece, End> | TaskError): void {
    this.#pages.push(page);
    this.#wake?.();
  }

  #finish(error: TaskError): void {
    this.#settle();
    this.#put(error);
  }

  #settle(): void {
    this.#settled = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#hedge);
  }
}

/** A task that every worker got too late had no worker. */
const errorOf = ({ code, message }: TaskFailure): TaskError =>
  new TaskError(code === 'expired' ? 'no_worker' : code, message);

const failureOfBus = (cause: unknown): TaskError => {
  const failed = (code: PlatformFailureCode, message: string): TaskError =>
    new TaskError(code, message, { cause });
  const code = cause instanceof BusError ? cause.code : null;
  if (code === 'message-too-large') {
    return failed('task_too_large', 'the task is too large for a message to a worker');
  }
  if (code === 'topic-full') return failed('busy', 'too many tasks wait for workers');
  return failed('no_worker', 'the task could not be published');
};
