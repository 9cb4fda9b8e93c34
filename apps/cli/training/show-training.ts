import { type Invocation, type Outcome } from '../invocation.js';
import { type JobOptions } from '../jobs/job-fields.js';
import { withQuipu } from '../quipu.context.js';
import { findTraining, outcomeOf, TRAINING_NEEDS } from './training-fields.js';

export const showTraining = async ({ id }: JobOptions, invocation: Invocation): Promise<Outcome> =>
  outcomeOf(await withQuipu(invocation, TRAINING_NEEDS, (quipu) => findTraining(quipu, id)));
