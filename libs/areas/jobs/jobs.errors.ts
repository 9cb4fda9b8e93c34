import { DomainError } from '#platform/kernel/domain-error.js';
import { type JobErrorCode as DecidedErrorCode } from '#platform/jobs/job.decider.js';

interface DeclaredError {
  readonly status: number;
  readonly param?: string;
}

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const jobErrors = {
  too_many_jobs: { status: 429 },
  too_many_job_streams: { status: 429 },
  job_not_found: { status: 404, param: 'id' },
  job_cursor_unknown: { status: 400, param: 'after' },
  job_event_unknown: { status: 400, param: 'Last-Event-ID' },
  job_conflict: { status: 409 },
  job_not_ended: { status: 409 },
  job_not_repeatable: { status: 409 },
  job_result_gone: { status: 410 },
} as const satisfies Readonly<Record<DecidedErrorCode, DeclaredError>> &
  Readonly<Record<string, DeclaredError>>;

export type JobErrorCode = keyof typeof jobErrors;

export const reject = (code: JobErrorCode, detail: string): never => {
  throw new DomainError<JobErrorCode>(code, detail);
};
