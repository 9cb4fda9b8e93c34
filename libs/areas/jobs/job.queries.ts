import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type StoredDocument } from '#platform/read-store/read-store.port.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import {
  jobKey,
  type JobRecord,
  jobs,
  jobsPrefix,
  type ShownStatus,
} from '#projections/jobs/jobs.projection.js';
import { JobAccess } from './job-access.js';
import { reject } from './jobs.errors.js';

export class JobQuery extends Query<JobRecord> {
  constructor(
    /** As a caller sent it. */
    readonly jobId: string,
    readonly reader: Reader,
  ) {
    super();
  }
}

@QueryHandler(JobQuery)
export class JobQueryHandler implements IQueryHandler<JobQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>,
    private readonly access: JobAccess,
  ) {}

  /** @throws DomainError `job_not_found` */
  async execute({ jobId, reader }: JobQuery): Promise<JobRecord> {
    const { order } = await this.access.find(jobId, reader);
    const { document } = await this.projections.get(jobs, jobKey(order));
    return document ?? reject('job_not_found', 'there is no job with this id');
  }
}

export interface JobPage {
  /** Newest first. */
  readonly jobs: readonly JobRecord[];
  /** The job after which the next page starts; null for the last page. */
  readonly nextAfter: string | null;
}

export interface JobFilter {
  /** One type, or some; null: jobs of every type. */
  readonly type: string | readonly string[] | null;
  /** Null: jobs in every state. */
  readonly status: ShownStatus | null;
}

/** A page of the jobs of an account. */
export class JobsQuery extends Query<JobPage> {
  constructor(
    readonly accountId: string,
    readonly filter: JobFilter,
    readonly page: {
      readonly limit: number;
      /** The job after which the page starts; null for the newest. */
      readonly after: string | null;
    },
  ) {
    super();
  }
}

/**
 * The jobs that one page looks through for jobs that pass the filter. A page that has reached the
 * limit may have fewer jobs, or none, and still have a next page.
 */
export const LOOKED_THROUGH_MAX = 2_000;

@QueryHandler(JobsQuery)
export class JobsQueryHandler implements IQueryHandler<JobsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    private readonly access: JobAccess,
  ) {}

  /** @throws DomainError `job_cursor_unknown` for an `after` that is no job of the account */
  async execute({ accountId, filter, page: { limit, after } }: JobsQuery): Promise<JobPage> {
    const isFiltered = filter.type !== null || filter.status !== null;
    const lookedThrough = isFiltered ? LOOKED_THROUGH_MAX : limit;
    const before = after === null ? {} : { before: await this.#keyOf(accountId, after) };
    const { documents } = await this.projections.list(jobs, {
      prefix: jobsPrefix(accountId),
      direction: 'backwards',
      limit: lookedThrough + 1,
      ...before,
    });
    return pageOf(documents, filter, limit, lookedThrough);
  }

  async #keyOf(accountId: string, after: string): Promise<string> {
    try {
      return jobKey((await this.access.find(after, { accountId })).order);
    } catch (error) {
      const isUnknown = error instanceof DomainError && error.code === 'job_not_found';
      if (!isUnknown) throw error;
      return reject('job_cursor_unknown', 'after names no job of the account');
    }
  }
}

const pageOf = (
  documents: readonly StoredDocument<JobRecord>[],
  filter: JobFilter,
  limit: number,
  lookedThrough: number,
): JobPage => {
  const seen = documents.slice(0, lookedThrough);
  const passing = seen.filter(({ document }) => passes(document, filter));
  const isFull = passing.length > limit;
  const page = passing.slice(0, limit).map(({ document }) => document);
  const hasMore = isFull || documents.length > lookedThrough;
  const last = isFull ? page.at(-1) : seen.at(-1)?.document;
  return { jobs: page, nextAfter: hasMore ? (last?.jobId ?? null) : null };
};

const passes = (job: JobRecord, { type, status }: JobFilter): boolean =>
  (type === null || [type].flat().includes(job.type)) && (status === null || job.status === status);
