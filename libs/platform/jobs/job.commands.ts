import { Command } from '@nestjs/cqrs';
import { type JobEvent, type JobBlob, type JobId, type JobUsage } from '#events/jobs/job.events.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandOutcome } from '#platform/runtime/commands/command-runner.js';
import { type JobCommand } from './job.decider.js';
import { type JobState } from './job.state.js';
import { type PublicJson } from './job-type.js';

/** The commands of the dispatcher, the hosts and the saga; the area of jobs handles them. */

export type JobOutcome = CommandOutcome<JobState, JobEvent>;

/** A command, or what makes one of the instant at which it is handled. */
export class ChangeJobCommand extends Command<JobOutcome> {
  constructor(
    readonly command: JobCommand | ((at: string) => JobCommand),
    readonly context: CommandContext,
  ) {
    super();
  }
}

/**
 * Names the attempt that is reported. A report of another one than the current leads to nothing:
 * its command resolves to undefined.
 */
export interface ReportedAttempt {
  readonly jobId: JobId;
  readonly attempt: number;
  readonly host: string;
}

/** The content that a host hands over: its JSON, or the blob that it has put. */
export type ReportedContent =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'blob'; readonly blob: JobBlob };

export interface ReportedProgress extends ReportedAttempt {
  /** From 1 in the attempt. */
  readonly sequence: number;
  readonly done: number;
  readonly total: number | null;
  readonly shown: PublicJson;
  readonly checkpoint: ReportedContent | null;
  readonly usage: readonly JobUsage[];
  readonly progressedAt: string;
}

/** Stores the checkpoint, then records the progress. */
export class ReportProgressCommand extends Command<JobOutcome | undefined> {
  constructor(
    readonly data: ReportedProgress,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export interface ReportedResult extends ReportedAttempt {
  readonly result: ReportedContent;
  readonly shown: PublicJson;
  readonly usage: readonly JobUsage[];
  readonly completedAt: string;
}

/** Stores the result, then completes the job. */
export class CompleteJobCommand extends Command<JobOutcome | undefined> {
  constructor(
    readonly data: ReportedResult,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export interface ReportedEnd extends ReportedAttempt {
  readonly reason: 'failed' | 'lost' | 'not_started' | 'drained';
  /** For `failed` a code of the type's `failures`; any other one becomes `failed`. */
  readonly code: string;
  readonly message: string;
  readonly endedAt: string;
}

/** Ends the attempt; the type's retry policy decides whether the job fails or is tried again. */
export class EndAttemptCommand extends Command<JobOutcome | undefined> {
  constructor(
    readonly data: ReportedEnd,
    readonly context: CommandContext,
  ) {
    super();
  }
}
