import {
  JobCancelled,
  JobCompleted,
  JobFailed,
  JobSettled,
  JobTimedOut,
} from '#events/jobs/job.events.js';
import { RESPONSE_JOB } from '#events/responses/response.job.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

/** How the job of a response has ended. */
export interface JobEnd {
  readonly outcome: 'completed' | 'failed' | 'cancelled' | 'timed_out';
  /** Why it failed. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface EndedResponse extends JobEnd {
  readonly jobId: string;
  readonly accountId: string;
}

interface EndResponse {
  readonly type: 'EndResponse';
  readonly data: EndedResponse;
}

type JobEndEvent = JobCompleted | JobFailed | JobCancelled | JobTimedOut | JobSettled;

interface ResponseProcess {
  readonly end: JobEnd | null;
}

const TIMED_OUT = { code: 'timed_out', message: 'the response took too long' };

const endOf = ({ type, data }: Exclude<JobEndEvent, JobSettled>): JobEnd => {
  switch (type) {
    case 'JobCompleted':
      return { outcome: 'completed', error: null };
    case 'JobFailed':
      return { outcome: 'failed', error: { code: data.code, message: data.message } };
    case 'JobCancelled':
      return { outcome: 'cancelled', error: null };
    case 'JobTimedOut':
      return { outcome: 'timed_out', error: TIMED_OUT };
  }
};

const react = (
  { type, data }: JobEndEvent,
  { end }: ResponseProcess,
): readonly SagaAction<EndResponse>[] => {
  if (type !== 'JobSettled' || data.type !== RESPONSE_JOB || !end) return [];
  const { jobId, accountId } = data;
  const command = { type: 'EndResponse', data: { jobId, accountId, ...end } } as const;
  return [{ kind: 'command', command }];
};

const evolve = (_: ResponseProcess, event: JobEndEvent): ResponseProcess | null =>
  event.type === 'JobSettled' || event.data.type !== RESPONSE_JOB ? null : { end: endOf(event) };

/** Stores a response in the background once its job has ended, and is charged. */
export const backgroundResponseSaga: Saga<JobEndEvent, ResponseProcess, EndResponse> = {
  name: 'background-response',
  on: { JobCompleted, JobFailed, JobCancelled, JobTimedOut, JobSettled },
  key: ({ data }) => data.jobId,
  initialState: { end: null },
  evolve,
  react,
};
