import { type Logger } from 'pino';
import { z } from 'zod';
import { type JobBlob, JobUsage } from '#events/jobs/job.events.js';
import { TaskError } from '#platform/tasks/task.error.js';
import {
  attemptFailureOf,
  type JobAttemptEnd,
  drained,
  isGone,
  stopped,
} from './attempt-failure.js';
import { type AttemptReports } from './attempt-reports.js';
import { type AnyAttempt, type HostedType } from './hosted-type.js';
import { type AnyJobType, type Finished, JobOverError, type Progress } from './job-type.js';
import { type Assignment, type Carried } from './job.protocol.js';

/** Reads a blob of the account of a job. */
export type InputReader = <Value>(
  accountId: string,
  blob: JobBlob,
  schema: z.ZodType<Value>,
) => Promise<Value>;

export interface RunningAttemptOptions {
  readonly read: InputReader;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The reason with which the signal of an attempt aborts. */
class AttemptStop extends Error {
  constructor(readonly end: JobAttemptEnd) {
    super(end.message);
  }
}

/** One attempt in this process, from its assignment until its end is reported. */
export class RunningAttempt {
  readonly #stop = new AbortController();
  #isBusy = false;
  #over: Promise<void> = Promise.resolve();

  constructor(
    private readonly assignment: Assignment,
    private readonly hosted: HostedType,
    private readonly reports: AttemptReports,
    private readonly options: RunningAttemptOptions,
  ) {}

  get ref(): Pick<Assignment, 'jobId' | 'attempt'> {
    const { jobId, attempt } = this.assignment;
    return { jobId, attempt };
  }

  get type(): string {
    return this.assignment.type;
  }

  /** Whether the attempt occupies its slot. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Resolves when the end is reported. */
  get over(): Promise<void> {
    return this.#over;
  }

  /** @param onIdle called when the slot is free again, which may be before `over` */
  run(onIdle: () => void): Promise<void> {
    this.#isBusy = true;
    this.reports.started();
    this.#over = this.#run(onIdle);
    return this.#over;
  }

  handBack(end: JobAttemptEnd): Promise<void> {
    this.#over = this.reports.ended(end);
    return this.#over;
  }

  /** The job does not need the attempt any more. */
  stop(): void {
    this.#stop.abort(new JobOverError());
  }

  /** The process stops. */
  drain(): void {
    this.#stop.abort(new AttemptStop(drained()));
  }

  /** The attempt cannot report what it did. */
  fail(error: unknown): void {
    this.#stop.abort(new AttemptStop(attemptFailureOf(this.hosted.type, error)));
  }

  /** Reports nothing more, whatever the runner does. */
  abandon(): void {
    this.reports.abandon();
  }

  async #run(onIdle: () => void): Promise<void> {
    const end = await this.#endOf();
    this.#isBusy = false;
    onIdle();
    await ('result' in end ? this.reports.completed(end) : this.reports.ended(end));
  }

  async #endOf(): Promise<Finished<unknown> | JobAttemptEnd> {
    const { signal } = this.#stop;
    const { type } = this.hosted;
    try {
      const finished = await this.#finish(await this.#attempt(), signal);
      if (finished) return checked(type, finished);
    } catch (error) {
      if (!signal.aborted) {
        const { jobId, attempt } = this.assignment;
        this.options.logger.warn({ err: error, jobId, attempt }, 'an attempt of a job has failed');
        return attemptFailureOf(type, error);
      }
    }
    const reason: unknown = signal.reason;
    return reason instanceof AttemptStop ? reason.end : stopped();
  }

  async #attempt(): Promise<AnyAttempt> {
    const { jobId, accountId, submittedAt, attempt, input, checkpoint, usage } = this.assignment;
    const { type } = this.hosted;
    return {
      jobId,
      accountId,
      submittedAt,
      attempt,
      input: await this.#opened(input, type.input),
      checkpoint: checkpoint && (await this.#opened(checkpoint, type.checkpoint)),
      usage,
    };
  }

  /** @throws TaskError `invalid_input`, `input_unavailable`, `busy` */
  async #opened(carried: Carried, schema: z.ZodType): Promise<unknown> {
    const json = 'blob' in carried ? await this.#read(carried.blob) : carried.json;
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    throw new TaskError('invalid_input', 'the input or the checkpoint does not fit its schema');
  }

  async #read(blob: JobBlob): Promise<unknown> {
    try {
      return await this.options.read(this.assignment.accountId, blob, z.unknown());
    } catch (cause) {
      if (isGone(cause)) throw new TaskError('input_unavailable', 'the input is gone', { cause });
      throw new TaskError('busy', 'the input cannot be read now', { cause });
    }
  }

  async #finish(attempt: AnyAttempt, signal: AbortSignal): Promise<Finished<unknown> | null> {
    const pieces = this.hosted.run(attempt, signal);
    try {
      for (;;) {
        const next = await pieces.next();
        if (next.done) return next.value;
        this.reports.progressed(progressOf(this.hosted.type, next.value));
      }
    } finally {
      // Nothing reads the value with which an abandoned generator returns.
      await pieces.return(null);
    }
  }
}

/** @throws TaskError `failed` */
const progressOf = (type: AnyJobType, progress: Progress): Progress => {
  const { shown, checkpoint, usage } = progress;
  demandMeters(type, usage);
  demand(type, 'progress', type.progress, shown);
  if (checkpoint !== null) demand(type, 'checkpoint', type.checkpoint, checkpoint);
  return progress;
};

/** @throws TaskError `failed` */
const checked = (type: AnyJobType, finished: Finished<unknown>): Finished<unknown> => {
  demand(type, 'result', type.result, finished.result);
  demandMeters(type, finished.usage);
  return finished;
};

const demand = ({ name }: AnyJobType, what: string, schema: z.ZodType, value: unknown): void => {
  const { error } = schema.safeParse(value);
  if (error) throw new TaskError('failed', `a ${what} of job type ${name} is invalid`);
};

/** The charge counts usage by the meters of the type's product. */
const demandMeters = ({ name, price }: AnyJobType, usage: readonly JobUsage[]): void => {
  const { error } = z.array(JobUsage).safeParse(usage);
  const meters = price?.product.meters;
  const unknown = meters && usage.find(({ meter }) => !Object.hasOwn(meters, meter));
  if (error || unknown) throw new TaskError('failed', `the usage of job type ${name} is invalid`);
};
