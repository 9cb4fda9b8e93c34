import { Inject, Injectable } from '@nestjs/common';
import { type JobId } from '#events/jobs/job.events.js';
import { RENTAL_JOB } from '#events/rentals/rental.job.js';
import { type SubmittedJob } from '#platform/jobs/job.state.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { maySee, type Reader } from '#platform/runtime/projections/reader.js';
import { rentalNumberKey, rentalNumbers } from '#projections/rentals/rental-numbers.projection.js';
import { reject } from './rentals.errors.js';

/** Finds the rentals that a reader may see. */
@Injectable()
export class RentalAccess {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>,
    private readonly streams: JobStreams,
  ) {}

  /**
   * The job of a rental, as the log has it now.
   * @throws DomainError `rental_not_found`, for the rental of another account too
   */
  async find(
    number: number,
    reader: Reader,
  ): Promise<{ readonly rentalId: JobId; readonly job: SubmittedJob }> {
    const { document } = await this.projections.get(rentalNumbers, rentalNumberKey(number));
    const job = document ? await this.streams.stateOf(document.rentalId) : ABSENT;
    const isThere = job.status !== 'absent' && job.order.type === RENTAL_JOB;
    return isThere && maySee(reader, job.order.accountId)
      ? { rentalId: job.order.jobId, job }
      : reject('rental_not_found', `there is no rental ${number}`);
  }
}

const ABSENT = { status: 'absent' } as const;
