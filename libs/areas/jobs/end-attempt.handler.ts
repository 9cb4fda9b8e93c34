import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { backOffMs } from '#platform/kernel/back-off.js';
import {
  EndAttemptCommand,
  type JobOutcome,
  type ReportedEnd,
} from '#platform/jobs/job.commands.js';
import { meaningOf } from '#platform/jobs/attempt-failure.js';
import { instantOf, isCounted, timeOf } from '#platform/jobs/job.state.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { ReportedAttempts, type CurrentJob } from './reported-attempts.js';

const MESSAGE_CHARACTERS_MAX = 1_000;
/** The pause before an attempt that a busy host handed back. */
const HANDED_BACK_MS = 1_000;

@CommandHandler(EndAttemptCommand)
export class EndAttemptHandler implements ICommandHandler<EndAttemptCommand> {
  constructor(
    private readonly reports: ReportedAttempts,
    private readonly streams: JobStreams,
  ) {}

  async execute({ data, context }: EndAttemptCommand): Promise<JobOutcome | undefined> {
    const current = await this.reports.current(data);
    if (!current) return undefined;
    const message = data.message.slice(0, MESSAGE_CHARACTERS_MAX);
    const ended = { ...data, message, ...meaning(data, current), retryAt: retryAt(data, current) };
    return this.streams.run({ type: 'EndAttempt', data: ended }, context);
  }
}

/** The meaning of an error code for the type. */
const meaning = (
  { reason, code }: ReportedEnd,
  { type }: CurrentJob,
): { readonly code: string; readonly isFinal: boolean } =>
  reason === 'failed' ? meaningOf(type, code) : { code, isFinal: false };

const retryAt = ({ reason, code, endedAt }: ReportedEnd, { job, type }: CurrentJob): string => {
  // A host that stops asks for nothing more; one that is busy may get the attempt again.
  if (code === 'drained') return endedAt;
  if (!isCounted(reason)) return instantOf(timeOf(endedAt) + HANDED_BACK_MS);
  return instantOf(timeOf(endedAt) + backOffMs(type.retry.backOff, job.failures + 1));
};
