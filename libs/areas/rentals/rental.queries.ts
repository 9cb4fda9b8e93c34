import { open } from 'node:fs/promises';
import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { RENTAL_JOB, RentalSummary } from '#events/rentals/rental.job.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import { jobKey, type JobRecord, jobs } from '#projections/jobs/jobs.projection.js';
import {
  jobOfTypeKey,
  jobsByType,
  jobsOfTypePrefix,
} from '#projections/jobs/jobs-by-type.projection.js';
import { RentalAccess } from './rental-access.js';
import { reject } from './rentals.errors.js';
import { RentalFolders } from './running/rental-folders.js';

/** A rental as its renter sees it. */
export interface Rental {
  readonly summary: RentalSummary;
  readonly job: JobRecord;
}

const rentalOf = (job: JobRecord): Rental => ({ job, summary: RentalSummary.parse(job.summary) });

export class RentalQuery extends Query<Rental> {
  constructor(
    readonly number: number,
    readonly reader: Reader,
  ) {
    super();
  }
}

@QueryHandler(RentalQuery)
export class RentalQueryHandler implements IQueryHandler<RentalQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>,
    private readonly access: RentalAccess,
  ) {}

  /** @throws DomainError `rental_not_found` */
  async execute({ number, reader }: RentalQuery): Promise<Rental> {
    const { job } = await this.access.find(number, reader);
    const { document } = await this.projections.get(jobs, jobKey(job.order));
    return document ? rentalOf(document) : reject('rental_not_found', `no rental ${number}`);
  }
}

export interface RentalPage {
  /** Newest first. */
  readonly rentals: readonly Rental[];
  /** The number after which the next page starts; null for the last page. */
  readonly nextAfter: number | null;
}

export class RentalsQuery extends Query<RentalPage> {
  constructor(
    readonly accountId: string,
    readonly page: {
      readonly limit: number;
      /** The number of the rental after which the page starts; null for the newest. */
      readonly after: number | null;
    },
  ) {
    super();
  }
}

@QueryHandler(RentalsQuery)
export class RentalsQueryHandler implements IQueryHandler<RentalsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    private readonly access: RentalAccess,
  ) {}

  /** @throws DomainError `rental_not_found` for an `after` that is no rental of the account */
  async execute({ accountId, page: { limit, after } }: RentalsQuery): Promise<RentalPage> {
    const last = after === null ? null : await this.access.find(after, { accountId });
    const { documents } = await this.projections.list(jobsByType, {
      prefix: jobsOfTypePrefix(accountId, RENTAL_JOB),
      direction: 'backwards',
      limit: limit + 1,
      ...(last && { before: jobOfTypeKey({ ...last.job.order, type: RENTAL_JOB }) }),
    });
    const page = documents.slice(0, limit).map(({ document }) => rentalOf(document));
    const hasMore = documents.length > limit;
    return { rentals: page, nextAfter: hasMore ? (page.at(-1)?.summary.number ?? null) : null };
  }
}

/** The largest piece of a log that one query gives. */
export const LOG_PIECE_BYTES_MAX = 1_024 ** 2;

export interface LogPiece {
  readonly content: Buffer;
  /** The offset at which the next piece begins. */
  readonly next: number;
}

/** The output of the program of a rental, from an offset on. */
export class RentalLogQuery extends Query<LogPiece> {
  constructor(
    readonly number: number,
    readonly reader: Reader,
    readonly offset: number,
  ) {
    super();
  }
}

@QueryHandler(RentalLogQuery)
export class RentalLogHandler implements IQueryHandler<RentalLogQuery> {
  constructor(
    private readonly access: RentalAccess,
    private readonly folders: RentalFolders,
  ) {}

  /** @throws DomainError `rental_not_found` */
  async execute({ number, reader, offset }: RentalLogQuery): Promise<LogPiece> {
    const { rentalId } = await this.access.find(number, reader);
    const log = await open(this.folders.of(rentalId).log, 'r').catch(() => null);
    // A rental that has not started, or whose files are deleted, has no log.
    if (!log) return { content: Buffer.alloc(0), next: offset };
    try {
      const piece = Buffer.allocUnsafe(LOG_PIECE_BYTES_MAX);
      const { bytesRead } = await log.read(piece, 0, piece.length, offset);
      return { content: piece.subarray(0, bytesRead), next: offset + bytesRead };
    } finally {
      await log.close();
    }
  }
}
