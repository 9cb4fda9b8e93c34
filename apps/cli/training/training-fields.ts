import { JobQuery } from '#areas/jobs/job.queries.js';
import { reject } from '#areas/training/training.decider.js';
import { progressIn } from '#areas/training/training-progress.js';
import {
  DISTILLATION_JOB,
  FINE_TUNING_JOB,
  TrainingSummary,
} from '#events/training/training.job.js';
import { type JobRecord, jobs } from '#projections/jobs/jobs.projection.js';
import { type Outcome } from '../invocation.js';
import { fieldsOf, JOB_AREAS, textOf } from '../jobs/job-fields.js';
import { type Quipu } from '../quipu.context.js';

export const TRAINING_JOBS = [DISTILLATION_JOB, FINE_TUNING_JOB] as const;

export const TRAINING_NEEDS = {
  areas: JOB_AREAS,
  installation: 'exists',
  projections: [jobs],
} as const;

/** @throws DomainError `job_not_found`; `training_not_found` for a job that is no training */
export const findTraining = async ({ queries }: Quipu, id: string): Promise<JobRecord> => {
  const job = await queries.execute(new JobQuery(id, 'admin'));
  if (TRAINING_JOBS.some((type) => type === job.type)) return job;
  return reject('training_not_found', `the job ${id} is no training`);
};

export const decimals = (value: number | null): string => value?.toFixed(4) ?? '-';

/** As of its job, with a line for each fact of the training. */
export const outcomeOf = (job: JobRecord): Outcome => {
  const { student, teacher, method, loraRank, steps, text } = TrainingSummary.parse(job.summary);
  const progress = progressIn(job);
  const heldOut = progress?.heldOut;
  const rank = loraRank === null ? '' : ` of rank ${loraRank}`;
  const lines = [
    textOf(job),
    `student ${student.name}, ${student.parameters} parameters`,
    teacher && `teacher ${teacher.name}, ${teacher.parameters} parameters`,
    `method ${method}${rank}, ${steps} steps on ${text.name}`,
    progress && `loss ${decimals(progress.loss)} at step ${progress.step}`,
    heldOut &&
      `held-out perplexity ${decimals(heldOut.before.perplexity)} before, ` +
        `${decimals(heldOut.after.perplexity)} after`,
    progress?.model && `model ${progress.model}`,
  ];
  const shown = lines.filter((line) => typeof line === 'string');
  return { json: fieldsOf(job), text: shown.join('\n  ') };
};
