import { JobsQuery } from '#areas/jobs/job.queries.js';
import { type JobRecord, jobs, type ShownStatus } from '#projections/jobs/jobs.projection.js';
import { jobsByType } from '#projections/jobs/jobs-by-type.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { accountOf } from '../user-option.js';
import { fieldsOf, JOB_AREAS, progressText } from './job-fields.js';

export interface ListJobsOptions extends CommonOptions {
  readonly user: string;
  /** One type, or some. */
  readonly type?: string | readonly string[];
  readonly state?: ShownStatus;
  readonly after?: string;
  readonly limit: number;
}

/** The text of a list: its noun, its header, and the cells of a job behind its id. */
export interface JobColumns {
  readonly noun: string;
  readonly header: readonly string[];
  readonly cellsOf: (job: JobRecord) => readonly string[];
}

const COLUMNS: JobColumns = {
  noun: 'jobs',
  header: ['TYPE', 'STATE', 'PROGRESS', 'SUBMITTED'],
  cellsOf: ({ type, status, progress, submittedAt }) => {
    const shown = progress ? progressText(progress.done, progress.total) : '-';
    return [type, status, shown, submittedAt];
  },
};

export const listJobs = async (
  { user, type, state, after, limit }: ListJobsOptions,
  invocation: Invocation,
  { noun, header, cellsOf }: JobColumns = COLUMNS,
): Promise<Outcome> => {
  const needs = {
    areas: ['identity', ...JOB_AREAS],
    installation: 'exists',
    projections: [jobs, jobsByType],
  } as const;
  const found = await withQuipu(invocation, needs, async ({ queries }) => {
    const accountId = await accountOf({ queries }, user);
    const filter = { type: type ?? null, status: state ?? null };
    return queries.execute(new JobsQuery(accountId, filter, { limit, after: after ?? null }));
  });
  const rows = found.jobs.map((job) => [job.jobId, ...cellsOf(job)]);
  const { nextAfter } = found;
  return {
    json: { jobs: found.jobs.map(fieldsOf), next_after: nextAfter },
    text: listText({ noun, header: ['ID', ...header], rows, nextAfter }),
  };
};
