import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type JobOutcome, ReportProgressCommand } from '#platform/jobs/job.commands.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { type PublicJson } from '#platform/jobs/job-type.js';
import { ReportedAttempts } from './reported-attempts.js';

@CommandHandler(ReportProgressCommand)
export class ReportProgressHandler implements ICommandHandler<ReportProgressCommand> {
  constructor(
    private readonly reports: ReportedAttempts,
    private readonly streams: JobStreams,
  ) {}

  async execute({ data, context }: ReportProgressCommand): Promise<JobOutcome | undefined> {
    const current = await this.reports.current(data);
    if (!current) return undefined;
    this.reports.demandMeters(current, data.usage);
    const { checkpoint: content, shown, usage, ...facts } = data;
    const { type } = current;
    const progress = type.progress.parse(shown) as PublicJson;
    const checkpoint = content
      ? await this.reports.stored(current, content, type.checkpoint)
      : null;
    const command = { ...facts, progress, checkpoint, usage: [...usage] };
    return this.streams.run({ type: 'ReportProgress', data: command }, context);
  }
}
