import { widthOf } from '#areas/quantization/quantization-order.js';
import {
  QUANTIZATION_JOB,
  QuantizationProgress,
  QuantizationSummary,
} from '#events/quantization/quantization.job.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { type JobColumns, listJobs, type ListJobsOptions } from '../jobs/list-jobs.js';

export type ListQuantizationsOptions = Omit<ListJobsOptions, 'type'>;

const COLUMNS: JobColumns = {
  noun: 'quantizations',
  header: ['NAME', 'MODEL', 'METHOD', 'BITS', 'STATE', 'PERPLEXITY', 'SUBMITTED'],
  cellsOf: ({ summary, result, status, submittedAt }) => {
    const { slug, model, method, coding } = QuantizationSummary.parse(summary);
    const measured = result && QuantizationProgress.parse(result.summary).measured;
    const perplexity = measured
      ? `${measured.baselinePerplexity.toFixed(2)} to ${measured.quantizedPerplexity.toFixed(2)}`
      : '-';
    return [slug, model, method, String(widthOf(coding)), status, perplexity, submittedAt];
  },
};

export const listQuantizations = (
  options: ListQuantizationsOptions,
  invocation: Invocation,
): Promise<Outcome> => listJobs({ ...options, type: QUANTIZATION_JOB }, invocation, COLUMNS);
