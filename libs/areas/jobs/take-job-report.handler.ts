import { Inject } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { JobId } from '#events/jobs/job.events.js';
import { JobReport, reportPlace } from '#platform/jobs/job.protocol.js';
import { JobSeal, SealedPart } from '#platform/jobs/job.seal.js';
import { commandOfReport } from '#platform/jobs/report-command.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { SealBrokenError } from '#platform/secrets/sealed-box.js';

/** The report of a worker, as the bus carries it. */
export const SealedReport = z.strictObject({ jobId: JobId, ...SealedPart.shape });
export type SealedReport = z.infer<typeof SealedReport>;

export class TakeJobReportCommand extends Command<void> {
  constructor(
    readonly report: SealedReport,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Opens a report and carries out what it asks for. */
@CommandHandler(TakeJobReportCommand)
export class TakeJobReportHandler implements ICommandHandler<TakeJobReportCommand> {
  constructor(
    private readonly seal: JobSeal,
    private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ report: sealed, context }: TakeJobReportCommand): Promise<void> {
    const { jobId, ...body } = sealed;
    const report = this.seal.openAs(reportPlace(jobId), body, JobReport);
    if (report.jobId !== jobId) throw new SealBrokenError('the report is of another job');
    await this.commands.execute(commandOfReport(report, instant(this.clock), context));
  }
}
