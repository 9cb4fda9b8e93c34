import { progressIn } from '#areas/training/training-progress.js';
import { TrainingSummary } from '#events/training/training.job.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { progressText } from '../jobs/job-fields.js';
import { type JobColumns, listJobs, type ListJobsOptions } from '../jobs/list-jobs.js';
import { decimals, TRAINING_JOBS } from './training-fields.js';

export interface ListTrainingsOptions extends ListJobsOptions {
  readonly type?: (typeof TRAINING_JOBS)[number];
}

const COLUMNS: JobColumns = {
  noun: 'trainings',
  header: ['NAME', 'STUDENT', 'METHOD', 'STATE', 'STEP', 'LOSS', 'SUBMITTED'],
  cellsOf: (job) => {
    const { jobName, student, method, steps } = TrainingSummary.parse(job.summary);
    const progress = progressIn(job);
    return [
      jobName,
      student.name,
      method,
      job.status,
      progressText(progress?.step ?? 0, steps),
      decimals(progress?.loss ?? null),
      job.submittedAt,
    ];
  },
};

export const listTrainings = (
  options: ListTrainingsOptions,
  invocation: Invocation,
): Promise<Outcome> => listJobs({ type: TRAINING_JOBS, ...options }, invocation, COLUMNS);
