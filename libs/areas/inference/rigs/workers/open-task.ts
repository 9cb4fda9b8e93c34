import { randomUUID } from 'node:crypto';
import { BusError } from '#platform/bus/bus.errors.js';
import { WorkerTaskError } from './worker-task.error.js';
import { runId, type ReplyHeaders, type TaskFailure, type TextPage } from './worker.protocol.js';

export interface TaskLimits {
  /** Attempts of one task in all. */
  readonly attemptsMax: number;
  /** A task that no worker has taken by then is offered once more, under another key. */
  readonly hedgeMs: number;
  /** From the first offer until a worker has taken it. */
  readonly takeMsMax: number;
  /** Between two replies of the worker that took it; workers say something every second. */
  readonly silenceMsMax: number;
}

/**
 * Another offer after 400 ms finds another worker when the first one lies with a dead one, and costs
 * nothing when the first is taken in time; with one of two workers dead, five of them fail once in
 * 32 times. 5 s outlive a broker's rebalance.
 */
export const TASK_LIMITS: TaskLimits = {
  attemptsMax: 5,
  hedgeMs: 400,
  takeMsMax: 5_000,
  silenceMsMax: 5_000,
};

/** A reply whose body has been opened. */
export type Reply =
  | (Reading<'started' | 'beat'> & { readonly body: null })
  | (Reading<'page'> & { readonly body: TextPage })
  | (Reading<'failed'> & { readonly body: TaskFailure });
type Reading<Kind> = Omit<ReplyHeaders, 'kind'> & { readonly kind: Kind };

export interface TaskPost {
  /** Offers the task to the workers. */
  readonly offer: (attempt: number) => Promise<void>;
  /** Tells the workers that of the attempts so far only this run, or none, is waited for. */
  readonly cancel: (through: number, except: string) => void;
}

/** The run that is waited for. */
interface Holder {
  readonly attempt: number;
  readonly worker: string;
  /** The number of its next reply. */
  next: number;
}

/**
 * One task among the workers, from the first offer to its end. Attempts may overlap; the one that
 * says first that it has started holds the task, and what any other says is dropped.
 */
export class OpenTask {
  readonly id = randomUUID();
  readonly #pages: (TextPage | WorkerTaskError)[] = [];
  #wake: (() => void) | undefined;
  #attempts = 0;
  /** Attempts below it were given up. */
  #fence = 1;
  readonly #refused = new Set<number>();
  #holder: Holder | null = null;
  #hasPages = false;
  #settled = false;
  #deadline: NodeJS.Timeout | undefined;
  #hedge: NodeJS.Timeout | undefined;

  constructor(
    private readonly post: TaskPost,
    private readonly limits: TaskLimits,
  ) {}

  begin(): void {
    this.#expect(this.limits.takeMsMax, 'no_worker', 'no worker took the task in time');
    this.#offer();
  }

  receive(reply: Reply): void {
    if (this.#settled || reply.attempt < this.#fence) return;
    const holder = this.#holder ?? this.#hold(reply);
    if (!holder) {
      if (reply.kind === 'failed') this.#refusedBy(reply.attempt, reply.body);
      return;
    }
    if (reply.attempt !== holder.attempt || reply.worker !== holder.worker) {
      // The broker delivered one attempt to two workers, or a late one has started.
      if (reply.kind === 'started') this.#keepOnly(holder);
      return;
    }
    if (reply.number < holder.next) return;
    if (reply.number > holder.next) {
      this.fail(
        new WorkerTaskError('worker_lost', `reply ${holder.next} of the worker is missing`),
      );
      return;
    }
    holder.next += 1;
    this.#expect(this.limits.silenceMsMax, 'worker_lost', 'the worker has fallen silent');
    this.#take(reply);
  }

  /** From this side: workers that are still at it may stop. */
  fail(error: WorkerTaskError): void {
    if (this.#settled) return;
    this.post.cancel(this.#attempts, '');
    this.#finish(error);
  }

  /**
   * The next page; null once the signal has fired.
   * @throws WorkerTaskError
   */
  async next(signal: AbortSignal): Promise<TextPage | null> {
    for (;;) {
      if (signal.aborted) return null;
      const page = this.#pages.shift();
      if (page instanceof WorkerTaskError) throw page;
      if (page) return page;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Has `next` look at its signal. */
  wake(): void {
    this.#wake?.();
  }

  /** Nobody reads any more: workers that are still at it may stop. */
  end(): void {
    if (this.#settled) return;
    this.#settle();
    this.post.cancel(this.#attempts, '');
  }

  #hold({ kind, attempt, worker, number }: Reply): Holder | null {
    // Any other number: of a run that began before this process did.
    if (kind !== 'started' || number !== 0) return null;
    this.#holder = { attempt, worker, next: 0 };
    clearTimeout(this.#hedge);
    if (this.#attempts - this.#refused.size > 1) this.#keepOnly(this.#holder);
    return this.#holder;
  }

  #keepOnly({ attempt, worker }: Holder): void {
    this.post.cancel(this.#attempts, runId(attempt, worker));
  }

  #take(reply: Reply): void {
    switch (reply.kind) {
      case 'started':
      case 'beat':
        return;
      case 'page':
        this.#hasPages = true;
        if (reply.body.end) this.#settle();
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
    // The other attempts were cancelled when this one started.
    for (let attempt = this.#fence; attempt <= this.#attempts; attempt += 1) {
      this.#refused.add(attempt);
    }
    this.#fence = this.#attempts + 1;
    this.#holder = null;
    this.#expect(this.limits.takeMsMax, 'no_worker', 'no other worker took the task in time');
    this.#refusedBy(this.#attempts, failure);
  }

  #refusedBy(attempt: number, failure: TaskFailure): void {
    this.#refused.add(attempt);
    if (!helpsElsewhere(failure.code)) this.#finish(errorOf(failure));
    else if (this.#attempts < this.limits.attemptsMax) this.#offer();
    else if (this.#refused.size >= this.#attempts) this.#finish(errorOf(failure));
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
    this.#deadline = setTimeout(() => this.fail(new WorkerTaskError(code, otherwise)), ms);
  }

  #put(page: TextPage | WorkerTaskError): void {
    this.#pages.push(page);
    this.#wake?.();
  }

  #finish(error: WorkerTaskError): void {
    this.#settle();
    this.#put(error);
  }

  #settle(): void {
    this.#settled = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#hedge);
  }
}

/** Another worker may have room, or the model, or the time. */
const helpsElsewhere = (code: TaskFailure['code']): boolean =>
  code === 'busy' || code === 'expired' || code === 'model_file_missing' || code === 'closed';

const errorOf = ({ code, message }: TaskFailure): WorkerTaskError =>
  new WorkerTaskError(code === 'expired' ? 'no_worker' : code, message);

const failureOfBus = (cause: unknown): WorkerTaskError => {
  const code = cause instanceof BusError ? cause.code : null;
  if (code === 'message-too-large') {
    const message = 'the prompt is too long to travel to a worker';
    return new WorkerTaskError('prompt_too_long', message, { cause });
  }
  if (code === 'topic-full') return new WorkerTaskError('busy', 'too many tasks wait', { cause });
  return new WorkerTaskError('no_worker', 'the task could not be published', { cause });
};
