import { type Abstract, type Type } from '@nestjs/common';
import { type z } from 'zod';
import { type JobHold, JobTypeName, type JobUsage } from '#events/jobs/job.events.js';
import { type BackOff } from '#platform/kernel/back-off.js';
import { type AnyProduct } from '#platform/ledger/product.js';
import { type EngineDefinition } from '#platform/tasks/engine.js';

/** JSON that anyone may read who may see the job. No prompt, no reply, no secret. */
export type PublicJson = Readonly<Record<string, unknown>>;

/** A report of a running attempt; the platform merges reports that come faster than its limit. */
export interface Progress<Shown extends PublicJson = PublicJson, Checkpoint = unknown> {
  /** Units of work, as the type counts them. */
  readonly done: number;
  /** Null where the total is not known. */
  readonly total: number | null;
  readonly shown: Shown;
  /** Where another attempt continues: JSON, sealed at rest; null for none. */
  readonly checkpoint: Checkpoint | null;
  /** Over all attempts of the job; it never falls. */
  readonly usage: readonly JobUsage[];
}

/** How an attempt ends when the work is done. */
export interface Finished<Result, Shown extends PublicJson = PublicJson> {
  /** Sealed at rest. */
  readonly result: Result;
  readonly shown: Shown;
  readonly usage: readonly JobUsage[];
}

/** The reason of an abort after which no attempt follows: the job has ended. */
export class JobOverError extends Error {
  override readonly name = 'JobOverError';

  constructor() {
    super('the job does not need the attempt any more');
  }
}

/** One attempt of a job, as the code that runs it sees it. */
export interface JobAttempt<Input, Checkpoint = unknown> {
  readonly jobId: string;
  readonly accountId: string;
  /** Its work has the prices of this instant. */
  readonly submittedAt: string;
  readonly attempt: number;
  readonly input: Input;
  /** Of the last progress in the log; null for none. */
  readonly checkpoint: Checkpoint | null;
  /** As the last progress stated it; empty for none. */
  readonly usage: readonly JobUsage[];
}

/**
 * Runs attempts of a job type inside a process that has the areas, so that it can inject them.
 * When the signal aborts it stops soon: it may yield a last progress, then throws. The checkpoint
 * of the last progress is what a cancelled, failed or timed-out job has finished.
 * An error whose `code` the type's `failures` lists keeps its code; any other becomes `failed`.
 */
export interface JobRunner<Input, Shown extends PublicJson, Checkpoint, Result> {
  run(
    attempt: JobAttempt<Input, Checkpoint>,
    signal: AbortSignal,
  ): AsyncGenerator<Progress<Shown, Checkpoint>, Finished<Result>, void>;
}

/** Where attempts run: on the workers that have the engine, or in a process with the areas. */
export type JobPlace<Input, Shown extends PublicJson, Checkpoint, Result> =
  | {
      readonly on: 'engine';
      readonly engine: EngineDefinition<
        JobAttempt<Input, Checkpoint>,
        Progress<Shown, Checkpoint>,
        Finished<Result>
      >;
    }
  | {
      readonly on: 'areas';
      /** A provider of the area's module. */
      readonly runner:
        | Type<JobRunner<Input, Shown, Checkpoint, Result>>
        | Abstract<JobRunner<Input, Shown, Checkpoint, Result>>;
    };

export interface JobLimits {
  /** Open jobs of one account of this type; more are rejected with `too_many_jobs`. */
  readonly openPerAccountMax: number;
  /** Attempts of one account of this type that run at once; the others wait. */
  readonly runningPerAccountMax: number;
  /** Attempts of this type in one process at once. */
  readonly runningPerHostMax: number;
  /** From the submission to the first start. */
  readonly queueMsMax: number;
  /** The time of all attempts together. */
  readonly runMsMax: number;
}

export interface JobRetryPolicy {
  /** Attempts that failed or were lost; drained ones do not count. */
  readonly attemptsMax: number;
  readonly backOff: BackOff;
  /** The runner's own codes: `retry` may succeed in another attempt, `final` may not. */
  readonly failures: Readonly<Record<string, 'retry' | 'final'>>;
}

/** How a job that is charged has ended. */
export interface EndedJob {
  readonly jobId: string;
  readonly outcome: 'completed' | 'failed' | 'cancelled' | 'timed_out';
  readonly attempts: number;
  /** The summary of the input in the order. */
  readonly summary: PublicJson;
  /** The public summary of a completed job's result; null for another one. */
  readonly result: PublicJson | null;
  /** The same; of another job, of its last progress; null for none. */
  readonly shown: PublicJson | null;
}

/** The price of a job. */
export interface JobPrice {
  readonly product: AnyProduct;
  /**
   * Whether a job that failed, timed out or was cancelled pays for its usage. `nothing`: only a
   * completed job is charged.
   */
  readonly whenUnfinished: JobHold['whenUnfinished'];
  /**
   * A renewal, every five minutes, keeps so much held above what is used; empty where the estimate
   * is for the whole job.
   */
  readonly ahead: readonly JobUsage[];
  /** The evidence of the charge, as the product's schema has it. Pure. */
  readonly evidence: (ended: EndedJob) => Readonly<Record<string, unknown>>;
  /** The model that the statement names; default: none. Pure. */
  readonly model?: (ended: EndedJob) => string;
}

/** Long work as an area declares it. */
export interface JobType<Input, Shown extends PublicJson, Checkpoint, Result> {
  /** In events, metrics and lists; it never changes. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly input: z.ZodType<Input>;
  readonly progress: z.ZodType<Shown>;
  readonly checkpoint: z.ZodType<Checkpoint>;
  readonly result: z.ZodType<Result>;
  readonly place: JobPlace<Input, Shown, Checkpoint, Result>;
  readonly limits: JobLimits;
  readonly retry: JobRetryPolicy;
  /** Null for work that is free. */
  readonly price: JobPrice | null;
  /**
   * `never`: an ended job is not submitted again, since what its area made of the first job would
   * not know the second, and its result would reach no one. Default: it may be.
   */
  readonly repeats?: 'never';
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of unlike job types
export type AnyJobType = JobType<any, any, any, any>;

const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Ties the runner to the schemas.
 * @throws TypeError for a name, code or limit that cannot be used
 */
export const defineJob = <Input, Shown extends PublicJson, Checkpoint, Result>(
  type: JobType<Input, Shown, Checkpoint, Result>,
): JobType<Input, Shown, Checkpoint, Result> => {
  const { name, limits, retry } = type;
  if (!JobTypeName.safeParse(name).success) throw new TypeError(`no name of a job type: ${name}`);
  for (const [limit, value] of Object.entries({ ...limits, attemptsMax: retry.attemptsMax })) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    throw new TypeError(`job type ${name}: ${value} cannot be its ${limit}`);
  }
  for (const code of Object.keys(retry.failures)) {
    if (!CODE.test(code)) throw new TypeError(`job type ${name}: ${code} cannot be a failure code`);
  }
  return type;
};

/** A job of a type that no area of this build declares. */
export class UnknownJobTypeError extends Error {
  override readonly name = 'UnknownJobTypeError';
}

/** The job types of every area. */
export class JobTypes {
  readonly #byName = new Map<string, AnyJobType>();

  /** @throws Error when two types have one name */
  constructor(types: readonly AnyJobType[]) {
    for (const type of types) {
      if (this.#byName.has(type.name)) throw new Error(`two job types are called ${type.name}`);
      this.#byName.set(type.name, type);
    }
  }

  get list(): readonly AnyJobType[] {
    return [...this.#byName.values()];
  }

  /** @throws UnknownJobTypeError */
  of(name: string): AnyJobType {
    const type = this.#byName.get(name);
    if (!type) throw new UnknownJobTypeError(`no area declares the job type ${name}`);
    return type;
  }
}
