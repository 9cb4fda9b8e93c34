import { jobEvents } from '#events/jobs/job.events.js';
import { ChangeJobCommand, EndAttemptCommand } from '#platform/jobs/job.commands.js';
import { JobDispatcher } from '#platform/jobs/job-dispatcher.js';
import { JobMetrics } from '#platform/jobs/job.metrics.js';
import { REPORTS_GROUP, REPORTS_TOPIC } from '#platform/jobs/job.protocol.js';
import { jobSaga, type JobSagaCommand } from '#platform/jobs/job.saga.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { defineConsumer } from '#platform/runtime/subscriptions/consumer.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { jobs } from '#projections/jobs/jobs.projection.js';
import { jobsByType } from '#projections/jobs/jobs-by-type.projection.js';
import { openJobs } from '#projections/jobs/open-jobs.projection.js';
import { ChargeJobCommand } from './charge-job.handler.js';
import { ForgetJobCommand } from './forget-job.handler.js';
import { KeepJobBlobCommand } from './keep-job-blob.handler.js';
import { jobErrors } from './jobs.errors.js';
import { JobsModule } from './jobs.module.js';
import { jobSettings } from './jobs.settings.js';
import { ReleaseJobBlobCommand } from './release-job-blob.handler.js';
import { RenewJobHoldCommand } from './renew-job-hold.handler.js';
import { RetryJobFundsCommand } from './retry-job-funds.handler.js';
import { SealedReport, TakeJobReportCommand } from './take-job-report.handler.js';

type DataOf<Type extends JobSagaCommand['type']> = Extract<
  JobSagaCommand,
  { readonly type: Type }
>['data'];

const timeOut = (data: DataOf<'TimeOutJob'>, context: CommandContext): ChangeJobCommand =>
  new ChangeJobCommand((at) => ({ type: 'TimeOutJob', data: { ...data, at } }), context);

const finish = (data: DataOf<'FinishJobCancellation'>, context: CommandContext): ChangeJobCommand =>
  new ChangeJobCommand((at) => ({ type: 'FinishCancellation', data: { ...data, at } }), context);

const missStart = (
  { startBy: endedAt, ...attempt }: DataOf<'MissJobStart'>,
  context: CommandContext,
): EndAttemptCommand => {
  const message = 'the host did not start the attempt in time';
  const end = { reason: 'not_started', code: 'not_started', message, endedAt } as const;
  return new EndAttemptCommand({ ...attempt, ...end }, context);
};

export const jobsArea = defineArea({
  name: 'jobs',
  description: 'Long work of an account: its progress, its result and its charge.',
  events: jobEvents,
  projections: [jobs, jobsByType, openJobs],
  sagas: [
    deploySaga(jobSaga, {
      TimeOutJob: timeOut,
      MissJobStart: missStart,
      FinishJobCancellation: finish,
      RenewJobHold: (data, context) => new RenewJobHoldCommand(data, context),
      RetryJobFunds: (data, context) => new RetryJobFundsCommand(data, context),
      ChargeJob: (data, context) => new ChargeJobCommand(data, context),
      KeepJobBlob: (data, context) => new KeepJobBlobCommand(data, context),
      ReleaseJobBlob: (data, context) => new ReleaseJobBlobCommand(data, context),
      ForgetJob: (data, context) => new ForgetJobCommand(data, context),
    }),
  ],
  leaderServices: [JobDispatcher],
  consumers: [
    defineConsumer({
      topic: REPORTS_TOPIC,
      group: REPORTS_GROUP,
      schema: SealedReport,
      toCommand: (report, context) => new TakeJobReportCommand(report, context),
    }),
  ],
  metrics: [JobMetrics],
  errors: jobErrors,
  settings: [jobSettings],
  module: JobsModule,
});
