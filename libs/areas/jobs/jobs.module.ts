import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { JobMetrics } from '#platform/jobs/job.metrics.js';
import { JOB_KEY_PURPOSE, JobSeal } from '#platform/jobs/job.seal.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
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
import { JobDispatching } from './job-dispatching.js';
import { JobHistoryHandler } from './job-history.handler.js';
import { JobFunds } from './job-funds.js';
import { JobHosting } from './job-hosting.js';
import { JobService } from './job-service.js';
import { KeepJobBlobHandler } from './keep-job-blob.handler.js';
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
    JobDispatching,
    JobHosting,
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
export class JobsModule {}
