import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type JobId } from '#events/jobs/job.events.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { albumJob, type AlbumResult } from './album.job.js';

/** An album; null while it is being bound. */
export class AlbumQuery extends Query<AlbumResult | null> {
  constructor(readonly jobId: JobId) {
    super();
  }
}

@QueryHandler(AlbumQuery)
export class AlbumHandler implements IQueryHandler<AlbumQuery> {
  constructor(private readonly jobs: Jobs) {}

  execute({ jobId }: AlbumQuery): Promise<AlbumResult | null> {
    return this.jobs.result(albumJob, jobId);
  }
}
