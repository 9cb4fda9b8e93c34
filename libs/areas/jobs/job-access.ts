import { Injectable } from '@nestjs/common';
import { JobId } from '#events/jobs/job.events.js';
import { type SubmittedJob } from '#platform/jobs/job.state.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { maySee, type Reader } from '#platform/runtime/projections/reader.js';
import { reject } from './jobs.errors.js';

/** Finds the jobs that a reader may see. */
@Injectable()
export class JobAccess {
  constructor(private readonly streams: JobStreams) {}

  /**
   * The job as the log has it now.
   * @param written an id as a caller sent it
   * @throws DomainError `job_not_found`, for the job of another account too
   */
  async find(written: string, reader: Reader): Promise<SubmittedJob> {
    const id = JobId.safeParse(written);
    const job = id.success ? await this.streams.stateOf(id.data) : ABSENT;
    const isThere = job.status !== 'absent' && maySee(reader, job.order.accountId);
    return isThere ? job : reject('job_not_found', 'there is no job with this id');
  }
}

const ABSENT = { status: 'absent' } as const;
