import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type JobId } from '#events/jobs/job.events.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { quantizationJob } from './quantization.job.js';
import { type QuantizationResult } from './quantization.task.js';

/** Every tensor of a completed quantization; null of another one. */
export class QuantizationResultQuery extends Query<QuantizationResult | null> {
  constructor(readonly jobId: JobId) {
    super();
  }
}

@QueryHandler(QuantizationResultQuery)
export class QuantizationResultHandler implements IQueryHandler<QuantizationResultQuery> {
  constructor(private readonly jobs: Jobs) {}

  /** @throws DomainError `job_not_found`, `job_result_gone` */
  execute({ jobId }: QuantizationResultQuery): Promise<QuantizationResult | null> {
    return this.jobs.result(quantizationJob, jobId);
  }
}
