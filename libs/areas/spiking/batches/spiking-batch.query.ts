import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type JobId } from '#events/jobs/job.events.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { spikingBatchJob } from './spiking-batch.job.js';
import { type SpikingBatchItem } from './spiking-batch.task.js';

/**
 * The finished items of a batch: all of them, or the ones at the last progress of an unfinished
 * batch.
 */
export class SpikingBatchItemsQuery extends Query<readonly SpikingBatchItem[]> {
  constructor(readonly jobId: JobId) {
    super();
  }
}

@QueryHandler(SpikingBatchItemsQuery)
export class SpikingBatchItemsHandler implements IQueryHandler<SpikingBatchItemsQuery> {
  constructor(private readonly jobs: Jobs) {}

  /** @throws DomainError `job_not_found`, `job_result_gone` */
  async execute({ jobId }: SpikingBatchItemsQuery): Promise<readonly SpikingBatchItem[]> {
    const result = await this.jobs.result(spikingBatchJob, jobId);
    if (result) return result.items;
    return (await this.jobs.checkpoint(spikingBatchJob, jobId))?.items ?? [];
  }
}
