import { AccountOfUserQuery } from '#areas/identity/accounts/account-of-user.handler.js';
import { JobsQuery } from '#areas/jobs/job.queries.js';
import { type JobRecord, jobs, type ShownStatus } from '#projections/jobs/jobs.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { ofUser } from '../user-option.js';
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
  const page = await withQuipu(invocation, needs, async ({ queries }) => {
    const accountId = await ofUser('--user', user, queries.execute(new AccountOfUserQuery(user)));
    const filter = { type: type ?? null, status: state ?? null };
    return queries.execute(new JobsQuery(accountId, filter, { limit, after: after ?? null }));
  });
  return {
    json: { jobs: page.jobs.map(fieldsOf), next_after: page.nextAfter },
    text: textOf(page.jobs, page.nextAfter),
  };
};

const textOf = (listed: readonly JobRecord[], nextAfter: string | null): string => {
  const more = nextAfter === null ? [] : [`There are more: --after ${nextAfter}`];
  if (listed.length === 0) return ['There are no such jobs.', ...more].join('\n');
  const header = ['ID', 'TYPE', 'STATE', 'PROGRESS', 'SUBMITTED'];
  const rows = listed.map(({ jobId, type, status, progress, submittedAt }) => {
    const shown = progress ? progressText(progress.done, progress.total) : '-';
    return [jobId, type, status, shown, submittedAt];
  });
  return [inColumns([header, ...rows]), ...more].join('\n');
};
