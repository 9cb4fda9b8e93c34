import { RetryJobCommand } from '#areas/jobs/retry-job.handler.js';
import { openJobs } from '#projections/jobs/open-jobs.projection.js';
import { areas as shippedAreas } from '../../composition/areas.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { type JobOptions } from './job-fields.js';

/** Composes every area: one of them declares the type of the job. */
export const retryJob = async ({ id }: JobOptions, invocation: Invocation): Promise<Outcome> => {
  const areas = (invocation.parts?.areas ?? shippedAreas).map(({ name }) => name);
  const needs = { areas, installation: 'exists', projections: [openJobs] } as const;
  const jobId = await withQuipu(invocation, needs, ({ commands, context }) =>
    commands.execute(new RetryJobCommand(id, 'admin', context())),
  );
  return { json: { id: jobId, retry_of: id }, text: `Job ${jobId} repeats ${id}.` };
};
