import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { JobId } from '#events/jobs/job.events.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { certificationJob, OPERATOR_ACCOUNT } from './certification.job.js';

/** Has a rig measured. The id of the request is the id of the job, so a repetition is the same. */
export class SubmitCertificationCommand extends Command<string> {
  constructor(
    readonly rig: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SubmitCertificationCommand)
export class SubmitCertificationHandler implements ICommandHandler<SubmitCertificationCommand> {
  constructor(private readonly jobs: Jobs) {}

  /** @throws DomainError `too_many_jobs` */
  async execute({ rig, context }: SubmitCertificationCommand): Promise<string> {
    const jobId = JobId.parse(context.requestId);
    const order = { jobId, accountId: OPERATOR_ACCOUNT, input: { rig }, summary: { rig } };
    await this.jobs.submit(certificationJob, { ...order, hold: null }, context);
    return jobId;
  }
}
