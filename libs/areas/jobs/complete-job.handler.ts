import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CompleteJobCommand, type JobOutcome } from '#platform/jobs/job.commands.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { ReportedAttempts } from './reported-attempts.js';

@CommandHandler(CompleteJobCommand)
export class CompleteJobHandler implements ICommandHandler<CompleteJobCommand> {
  constructor(
    private readonly reports: ReportedAttempts,
    private readonly streams: JobStreams,
  ) {}

  async execute({ data, context }: CompleteJobCommand): Promise<JobOutcome | undefined> {
    const current = await this.reports.current(data);
    if (!current) return undefined;
    this.reports.demandMeters(current, data.usage);
    const { result: content, shown: summary, usage, ...facts } = data;
    const result = await this.reports.stored(current, content, current.type.result);
    const command = { ...facts, summary, result, usage: [...usage] };
    return this.streams.run({ type: 'CompleteJob', data: command }, context);
  }
}
