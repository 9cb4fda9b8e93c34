import { CancelJobCommand } from '#areas/jobs/cancel-job.handler.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { type JobOptions } from '../jobs/job-fields.js';
import { withQuipu } from '../quipu.context.js';
import { findTraining, outcomeOf, TRAINING_NEEDS } from './training-fields.js';

export const cancelTraining = async (
  { id }: JobOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const job = await withQuipu(invocation, TRAINING_NEEDS, async (quipu) => {
    await findTraining(quipu, id);
    await quipu.commands.execute(new CancelJobCommand(id, 'admin', quipu.context()));
    return findTraining(quipu, id);
  });
  return outcomeOf(job);
};
