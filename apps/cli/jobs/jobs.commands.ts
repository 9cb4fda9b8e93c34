import { Option } from 'commander';
import { SHOWN_STATUSES } from '#projections/jobs/jobs.projection.js';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { pageLimitOf, prefixOf } from '../options.js';
import { type JobOptions } from './job-fields.js';
import { type ListJobsOptions } from './list-jobs.js';
import { type ShowJobOptions } from './show-job.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const jobs = commandGroup(program, 'jobs', 'List, follow, cancel and repeat jobs.');
  command(jobs, 'list', 'List the jobs of an account, newest first.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--type <name>', 'only jobs of this type', prefixOf)
    .addOption(new Option('--state <state>', 'only jobs in this state').choices(SHOWN_STATUSES))
    .option('--after <id>', 'begin after this job', prefixOf)
    .option('--limit <count>', 'the number of jobs, at most 1,000', pageLimitOf, 20)
    .action((options: ListJobsOptions) =>
      invoke(options, async () => (await import('./list-jobs.js')).listJobs),
    );
  command(jobs, 'show', 'Show a job.')
    .argument('<id>', 'the id that list shows')
    .option('--watch', 'follow the job until its end, or Ctrl-C')
    .action((id: string, options: Omit<ShowJobOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./show-job.js')).showJob),
    );
  command(jobs, 'cancel', 'Cancel a job: at once while it waits, or as soon as it has stopped.')
    .argument('<id>', 'the id that list shows')
    .action((id: string, options: Omit<JobOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./cancel-job.js')).cancelJob),
    );
  command(jobs, 'retry', 'Submit an ended job again, at its prices, as another job.')
    .argument('<id>', 'the id that list shows')
    .action((id: string, options: Omit<JobOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./retry-job.js')).retryJob),
    );
};
