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
import {
  jobOfTypeKey,
  jobsByType,
  jobsOfTypePrefix,
} from '#projections/jobs/jobs-by-type.projection.js';
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
 * The jobs, of each type of the filter, that one page looks through for jobs in a state. Such a
 * page may have fewer jobs than its limit, or none, and still have a next page. Other pages are
 * full, unless they are the last.
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
    const { type, status } = filter;
    const lookedThrough = status === null ? limit : LOOKED_THROUGH_MAX;
    const last = after === null ? null : await this.#placeOf(accountId, after);
    const options = { direction: 'backwards', limit: lookedThrough + 1 } as const;
    if (type === null) {
      const prefix = jobsPrefix(accountId);
      const before = last && { before: jobKey(last) };
      const { documents } = await this.projections.list(jobs, { ...options, ...before, prefix });
      return pageOf(recordsIn(documents), status, limit, lookedThrough);
    }
    const lists = [type].flat().map(async (one) => {
      const prefix = jobsOfTypePrefix(accountId, one);
      const before = last && { before: jobOfTypeKey({ ...last, type: one }) };
      const list = this.projections.list(jobsByType, { ...options, ...before, prefix });
      return recordsIn((await list).documents);
    });
    const found = (await Promise.all(lists)).flat().sort(newestFirst);
    return pageOf(found.slice(0, lookedThrough + 1), status, limit, lookedThrough);
  }

  async #placeOf(accountId: string, after: string): Promise<Parameters<typeof jobKey>[0]> {
    try {
      return (await this.access.find(after, { accountId })).order;
    } catch (error) {
      const isUnknown = error instanceof DomainError && error.code === 'job_not_found';
      if (!isUnknown) throw error;
      return reject('job_cursor_unknown', 'after names no job of the account');
    }
  }
}

const recordsIn = (documents: readonly StoredDocument<JobRecord>[]): readonly JobRecord[] =>
  documents.map(({ document }) => document);

const newestFirst = (one: JobRecord, other: JobRecord): number =>
  jobKey(one) < jobKey(other) ? 1 : -1;

const pageOf = (
  found: readonly JobRecord[],
  status: ShownStatus | null,
  limit: number,
  lookedThrough: number,
): JobPage => {
  const seen = found.slice(0, lookedThrough);
  const passing = status === null ? seen : seen.filter((job) => job.status === status);
  const isFull = passing.length > limit;
  const page = passing.slice(0, limit);
  const hasMore = isFull || found.length > lookedThrough;
  const last = isFull ? page.at(-1) : seen.at(-1);
  return { jobs: page, nextAfter: hasMore ? (last?.jobId ?? null) : null };
};
