import { type Invocation, type Outcome } from '../invocation.js';
import { followJob, type ShowJobOptions } from '../jobs/show-job.js';
import { withQuipu } from '../quipu.context.js';
import { findTraining, outcomeOf, TRAINING_NEEDS } from './training-fields.js';

/** `--watch` follows it as `jobs show --watch` does. */
export const showTraining = (
  options: ShowJobOptions,
  invocation: Invocation,
): Promise<Outcome | undefined> =>
  withQuipu(invocation, TRAINING_NEEDS, async (quipu) => {
    const { id, watch = false, json = false } = options;
    const before = await findTraining(quipu, id);
    if (!watch) return outcomeOf(before);
    await followJob(quipu, options, invocation);
    return json ? undefined : outcomeOf(await findTraining(quipu, id));
  });
