import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { type Bus } from '#platform/bus/bus.port.js';
import { AssignmentSender } from '#platform/jobs/assignment-sender.js';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { JOB_DISPATCHER_LIMITS } from '#platform/jobs/dispatch-term.js';
import { DISPATCHER_LIMITS, JobDispatcher } from '#platform/jobs/job-dispatcher.js';
import { JobHost } from '#platform/jobs/job-host.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { JobMetrics } from '#platform/jobs/job.metrics.js';
import { JOB_KEY_PURPOSE, JobSeal } from '#platform/jobs/job.seal.js';
import { OpenJobs } from '#platform/jobs/open-jobs.port.js';
import { logReportSink } from '#platform/jobs/report-sink.js';
import { type Clock } from '#platform/kernel/clock.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { BUS, CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { ReportedAttempts } from './reported-attempts.js';
import { CancelJobHandler } from './cancel-job.handler.js';
import { ChangeJobHandler } from './change-job.handler.js';
import { ChargeJobHandler } from './charge-job.handler.js';
import { CompleteJobHandler } from './complete-job.handler.js';
import { EndAttemptHandler } from './end-attempt.handler.js';
import { ForgetJobHandler } from './forget-job.handler.js';
import { JobQueryHandler, JobsQueryHandler } from './job.queries.js';
import { JobAccess } from './job-access.js';
import { JobAdmission } from './job-admission.js';
import { JobHistoryHandler } from './job-history.handler.js';
import { JobFunds } from './job-funds.js';
import { HostedTypes } from './hosted-types.js';
import { JobService } from './job-service.js';
import { JOB_SETTINGS, type JobSettings } from './jobs.settings.js';
import { KeepJobBlobHandler } from './keep-job-blob.handler.js';
import { ProjectedOpenJobs } from './projected-open-jobs.js';
import { ReleaseJobBlobHandler } from './release-job-blob.handler.js';
import { RenewJobHoldHandler } from './renew-job-hold.handler.js';
import { ReportProgressHandler } from './report-progress.handler.js';
import { RetryJobHandler } from './retry-job.handler.js';
import { RetryJobFundsHandler } from './retry-job-funds.handler.js';
import { TakeJobReportHandler } from './take-job-report.handler.js';

/** Exports jobs to the other areas: `QuipuModule`, which is global, exports them again. */
@Module({
  providers: [
    JobStreams,
    JobBlobs,
    JobAccess,
    JobAdmission,
    JobFunds,
    ReportedAttempts,
    { provide: Jobs, useClass: JobService },
    {
      provide: JobSeal,
      inject: [SECRETS],
      useFactory: (secrets: Secrets) => new JobSeal(secrets.messageKey(JOB_KEY_PURPOSE)),
    },
    {
      provide: JobMetrics,
      inject: [Registry, CLOCK],
      useFactory: (registry: Registry, clock: Clock) => new JobMetrics(registry, clock),
    },
    AssignmentSender,
    { provide: OpenJobs, useClass: ProjectedOpenJobs },
    {
      provide: DISPATCHER_LIMITS,
      inject: [JOB_SETTINGS],
      useFactory: ({ silenceMs, stopMsMax }: JobSettings) => ({
        ...JOB_DISPATCHER_LIMITS,
        silenceMs,
        stopMsMax,
      }),
    },
    JobDispatcher,
    HostedTypes,
    {
      provide: JobHost,
      inject: [BUS, ProcessFacts, JobSeal, JobBlobs, CommandBus, CLOCK, LOGGER],
      useFactory: (
        bus: Bus,
        { instance: host }: ProcessFacts,
        seal: JobSeal,
        blobs: JobBlobs,
        commands: CommandBus,
        clock: Clock,
        logger: Logger,
      ) => {
        const sink = logReportSink(commands, clock);
        return new JobHost({ bus, host, seal, sink, read: blobs.read.bind(blobs), logger });
      },
    },
    JobQueryHandler,
    JobsQueryHandler,
    JobHistoryHandler,
    CancelJobHandler,
    RetryJobHandler,
    TakeJobReportHandler,
    ChangeJobHandler,
    ReportProgressHandler,
    CompleteJobHandler,
    EndAttemptHandler,
    RenewJobHoldHandler,
    RetryJobFundsHandler,
    ChargeJobHandler,
    KeepJobBlobHandler,
    ReleaseJobBlobHandler,
    ForgetJobHandler,
  ],
  exports: [Jobs, JobStreams, JobBlobs, JobMetrics],
})
export class JobsModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly host: JobHost,
    private readonly types: HostedTypes,
    private readonly facts: ProcessFacts,
    private readonly events: ProcessEvents,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.facts.hostsJobs) return;
    this.host.start(this.types.list());
    this.events.onDrain((ms) => this.host.drain(ms));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.host.drain(0);
  }
}
