import {
  BatchCancellationRequested,
  BatchCreated,
  BatchEnded,
  BatchWindowClosed,
} from '#events/batches/batch.events.js';
import { BATCH_JOB } from '#events/batches/batch.job.js';
import {
  JobCancelled,
  JobCompleted,
  JobFailed,
  JobProgressed,
  JobTimedOut,
} from '#events/jobs/job.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';
import { type JobOutcome } from './batch.decider.js';

interface OfBatch {
  readonly batchId: string;
}

/** How the job has ended, for the end of the batch. */
export interface EndedBatchJob extends OfBatch {
  readonly outcome: JobOutcome;
  readonly endedAt: string;
  /** Why it failed. */
  readonly fault: { readonly code: string; readonly message: string } | null;
}

type BatchLifeCommand =
  | { readonly type: 'CloseBatchWindow'; readonly data: OfBatch }
  | { readonly type: 'CancelBatchJob'; readonly data: OfBatch }
  | { readonly type: 'KeepBatchParts'; readonly data: OfBatch }
  | { readonly type: 'EndBatch'; readonly data: EndedBatchJob };

type LifeEvent =
  | BatchCreated
  | BatchCancellationRequested
  | BatchWindowClosed
  | BatchEnded
  | JobProgressed
  | JobCompleted
  | JobFailed
  | JobCancelled
  | JobTimedOut;

interface BatchProcess {
  readonly isOpen: boolean;
}

type Action = SagaAction<BatchLifeCommand>;

const TIMER = 'window';

const end = (
  batchId: string,
  outcome: JobOutcome,
  endedAt: string,
  fault: EndedBatchJob['fault'] = null,
): readonly Action[] => [
  { kind: 'command', command: { type: 'EndBatch', data: { batchId, outcome, endedAt, fault } } },
];

const command = (type: 'CancelBatchJob' | 'KeepBatchParts', batchId: string): readonly Action[] => [
  { kind: 'command', command: { type, data: { batchId } } },
];

const keyOf = ({ data }: LifeEvent): string => ('batchId' in data ? data.batchId : data.jobId);

/** Jobs of other types have no batch, and one that ended needs nothing any more. */
const isConcerned = ({ data }: LifeEvent, { isOpen }: BatchProcess): boolean =>
  'batchId' in data || (data.type === BATCH_JOB && isOpen);

const react = (event: LifeEvent, state: BatchProcess): readonly Action[] => {
  if (!isConcerned(event, state)) return [];
  const { type, data } = event;
  switch (type) {
    case 'BatchCreated': {
      const { batchId, expiresAt: dueAt } = data;
      const closing = { type: 'CloseBatchWindow', data: { batchId } } as const;
      return [{ kind: 'schedule', timer: TIMER, dueAt, command: closing }];
    }
    case 'BatchCancellationRequested':
    case 'BatchWindowClosed':
      return command('CancelBatchJob', data.batchId);
    case 'JobProgressed':
      return command('KeepBatchParts', data.jobId);
    case 'JobCompleted':
      return end(data.jobId, 'completed', data.completedAt);
    case 'JobFailed': {
      const { code, message } = data;
      return end(data.jobId, 'failed', data.failedAt, { code, message });
    }
    case 'JobCancelled':
      return end(data.jobId, 'cancelled', data.cancelledAt);
    case 'JobTimedOut':
      return end(data.jobId, 'timed_out', data.timedOutAt);
    case 'BatchEnded':
      return [{ kind: 'cancel', timer: TIMER }];
  }
};

const evolve = (state: BatchProcess, { type }: LifeEvent): BatchProcess | null => {
  if (type === 'BatchCreated') return { isOpen: true };
  return type === 'BatchEnded' || !state.isOpen ? null : state;
};

/** Closes the window of a batch, stops its job, keeps its parts, and ends it with its job. */
export const batchLifeSaga: Saga<LifeEvent, BatchProcess, BatchLifeCommand> = {
  name: 'batch-life',
  on: {
    BatchCreated,
    BatchCancellationRequested,
    BatchWindowClosed,
    BatchEnded,
    JobProgressed,
    JobCompleted,
    JobFailed,
    JobCancelled,
    JobTimedOut,
  },
  key: keyOf,
  initialState: { isOpen: false },
  evolve,
  react,
};
