import { JobsQuery } from '#areas/jobs/job.queries.js';
import { jobs, type ShownStatus } from '#projections/jobs/jobs.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { accountOf } from '../user-option.js';
import { fieldsOf, JOB_AREAS, progressText } from './job-fields.js';

export interface ListJobsOptions extends CommonOptions {
  readonly user: string;
  readonly type?: string;
  readonly state?: ShownStatus;
  readonly after?: string;
  readonly limit: number;
}

export const listJobs = async (
  { user, type, state, after, limit }: ListJobsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = {
    areas: ['identity', ...JOB_AREAS],
    installation: 'exists',
    projections: [jobs],
  } as const;
  const found = await withQuipu(invocation, needs, async ({ queries }) => {
    const accountId = await accountOf({ queries }, user);
    const filter = { type: type ?? null, status: state ?? null };
    return queries.execute(new JobsQuery(accountId, filter, { limit, after: after ?? null }));
  });
  const header = ['ID', 'TYPE', 'STATE', 'PROGRESS', 'SUBMITTED'];
  const rows = found.jobs.map(({ jobId, type: of, status, progress, submittedAt }) => {
    const shown = progress ? progressText(progress.done, progress.total) : '-';
    return [jobId, of, status, shown, submittedAt];
  });
  const { nextAfter } = found;
  return {
    json: { jobs: found.jobs.map(fieldsOf), next_after: nextAfter },
    text: listText({ noun: 'jobs', header, rows, nextAfter }),
  };
};
