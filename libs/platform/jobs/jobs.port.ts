import { type PriceLine } from '#events/hold.vocabulary.js';
import { type JobId } from '#events/jobs/job.events.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type JobType, type PublicJson } from './job-type.js';

/** A job that an area submits. */
export interface JobOrder<Input> {
  /** Drawn from the request, so that a repeated submission is the same job. */
  readonly jobId: JobId;
  readonly accountId: string;
  readonly input: Input;
  /** The summary of the input for lists. */
  readonly summary: PublicJson;
  /** The estimate that is held; null for a type without a price. */
  readonly hold: {
    readonly lines: readonly PriceLine[];
    readonly rateCardVersion: number;
    readonly evidence: Readonly<Record<string, unknown>>;
  } | null;
  /** The instant of the prices of `hold`, in milliseconds since the Unix epoch. Default: now. */
  readonly pricedAtMs?: number;
  /** The models that it asks. Absent: none, and a key with a list of models cannot submit it. */
  readonly models?: readonly string[];
  readonly after?: readonly JobId[];
  readonly parent?: JobId | null;
  /** Earlier than the type's `queueMsMax` gives. ISO 8601. */
  readonly startBefore?: string;
}

/** Submits and cancels jobs of any area. The class is the injection token. */
export abstract class Jobs {
  /**
   * Holds the estimate and submits. Repeating the same order is the same job.
   * @throws DomainError `insufficient_balance`, `model_not_allowed`, `too_many_jobs`,
   *   `job_conflict`
   */
  abstract submit<Input, Shown extends PublicJson, Checkpoint, Result>(
    type: JobType<Input, Shown, Checkpoint, Result>,
    order: JobOrder<Input>,
    context: CommandContext,
  ): Promise<void>;

  /**
   * Stops a job: at once before it runs, otherwise within the time that a host gets to stop. An
   * ended job stays as it is.
   * @throws DomainError `job_not_found`
   */
  abstract cancel(jobId: JobId, context: CommandContext): Promise<void>;

  /**
   * Submits an ended job again, with the same input and estimate, as a job of its own. Repeating it
   * in one request is the same job.
   * @throws DomainError `job_not_found`, `job_not_ended`, `job_not_repeatable`, `job_result_gone`
   *   when its input is gone, and the errors of `submit`
   */
  abstract retry(jobId: JobId, context: CommandContext): Promise<JobId>;

  /**
   * The sealed result of a completed job, opened and checked; null for another one.
   * @throws DomainError `job_not_found`, `job_result_gone` when it is no longer kept
   */
  abstract result<Result>(
    type: Pick<JobType<never, never, never, Result>, 'name' | 'result'>,
    jobId: JobId,
  ): Promise<Result | null>;

  /**
   * The last checkpoint of a job: what it had finished then. Null where it has none.
   * @throws DomainError `job_not_found`, `job_result_gone` when it is no longer kept
   */
  abstract checkpoint<Checkpoint>(
    type: Pick<JobType<never, never, Checkpoint, never>, 'name' | 'checkpoint'>,
    jobId: JobId,
  ): Promise<Checkpoint | null>;
}
