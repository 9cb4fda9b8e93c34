import { CancelJobCommand } from '#areas/jobs/cancel-job.handler.js';
import { JobQuery } from '#areas/jobs/job.queries.js';
import { jobs } from '#projections/jobs/jobs.projection.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { fieldsOf, JOB_AREAS, type JobOptions, textOf } from './job-fields.js';

export const cancelJob = async ({ id }: JobOptions, invocation: Invocation): Promise<Outcome> => {
  const needs = { areas: JOB_AREAS, installation: 'exists', projections: [jobs] } as const;
  const job = await withQuipu(invocation, needs, async ({ commands, queries, context }) => {
    await commands.execute(new CancelJobCommand(id, 'admin', context()));
    return queries.execute(new JobQuery(id, 'admin'));
  });
  return { json: fieldsOf(job), text: textOf(job) };
};
