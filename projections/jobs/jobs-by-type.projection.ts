import { jobs } from './jobs.projection.js';

export const jobsOfTypePrefix = (accountId: string, type: string): string =>
  `${accountId}/${type}/`;

/** The keys of a type in an account order by the instant of submission. */
export const jobOfTypeKey = ({
  accountId,
  type,
  submittedAt,
  jobId,
}: {
  readonly accountId: string;
  readonly type: string;
  readonly submittedAt: string;
  readonly jobId: string;
}): string => `${jobsOfTypePrefix(accountId, type)}${submittedAt}/${jobId}`;

/** How is each job of one type in an account doing? The documents of `jobs`, listed by type. */
export const jobsByType: typeof jobs = {
  ...jobs,
  name: 'jobs-by-type',
  version: 1,
  keys: ({ data }) => [jobOfTypeKey(data)],
};
