import { describe, it } from '@jest/globals';
import {
  BatchCancellationRequested,
  BatchCreated,
  BatchEnded,
  BatchId,
  BatchWindowClosed,
} from '#events/batches/batch.events.js';
import {
  JobCancelled,
  JobCompleted,
  JobFailed,
  JobId,
  JobProgressed,
  JobTimedOut,
} from '#events/jobs/job.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import {
  ACCOUNT_ID as accountId,
  BATCH_ID,
  MODEL,
  NOW,
  PATH,
  USER_ID,
} from './batches-world.fixture.js';
import { batchLifeSaga } from './batch-life.saga.js';

const batchId = BatchId.parse(BATCH_ID);
const ofBatch = { batchId, accountId };
const expiresAt = '2026-11-23T06:00:00.000Z';
const created = BatchCreated.of({
  ...ofBatch,
  endpoint: PATH,
  userId: USER_ID,
  inputFileId: 'file-in',
  completionWindow: '24h',
  sealedMetadata: null,
  outputExpiresAfterSeconds: null,
  model: MODEL,
  lines: 3,
  createdAt: NOW,
  expiresAt,
});
const ended = BatchEnded.of({
  ...ofBatch,
  outcome: 'completed',
  outputFileId: null,
  errorFileId: null,
  counts: { total: 3, completed: 3, failed: 0 },
  usage: [],
  faults: [],
  endedAt: NOW,
});

const jobOf = (type: string) => ({
  jobId: JobId.parse(BATCH_ID),
  accountId,
  type,
  submittedAt: NOW,
});
const blob = { address: 'a'.repeat(64), bytes: 10 };
const left = { checkpoint: blob, usage: [] };
const progressed = (type = 'batch') =>
  JobProgressed.of({
    ...jobOf(type),
    ...left,
    attempt: 1,
    sequence: 1,
    done: 1,
    total: 3,
    progress: { total: 3, completed: 1, failed: 0 },
    progressedAt: NOW,
  });
const completed = (type = 'batch') =>
  JobCompleted.of({
    ...jobOf(type),
    attempt: 1,
    result: blob,
    summary: {},
    usage: [],
    completedAt: NOW,
  });

const life = sagaSpecOf(batchLifeSaga);
const end = (outcome: string, fault: object | null = null) =>
  ({
    kind: 'command',
    command: { type: 'EndBatch', data: { batchId, outcome, endedAt: NOW, fault } },
  }) as never;

describe('the life of a batch', () => {
  it('closes its window in time', () => {
    life
      .given()
      .when(created)
      .then({
        kind: 'schedule',
        timer: 'window',
        dueAt: expiresAt,
        command: { type: 'CloseBatchWindow', data: { batchId } },
      });
    life.given(created).when(ended).then({ kind: 'cancel', timer: 'window' });
    life.given(created).when(ended).thenEnds();
  });

  it('stops its job when it is cancelled and when its window is closed', () => {
    const stop = {
      kind: 'command',
      command: { type: 'CancelBatchJob', data: { batchId } },
    } as const;
    const cancelled = BatchCancellationRequested.of({ ...ofBatch, requestedAt: NOW });
    life.given(created).when(cancelled).then(stop);
    life
      .given(created)
      .when(BatchWindowClosed.of({ ...ofBatch, closedAt: NOW }))
      .then(stop);
  });

  it('keeps the parts that a progress names', () => {
    const keep = {
      kind: 'command',
      command: { type: 'KeepBatchParts', data: { batchId } },
    } as const;
    life.given(created).when(progressed()).then(keep);
  });

  it('ends with its job', () => {
    life.given(created).when(completed()).then(end('completed'));
    life
      .given(created)
      .when(JobCancelled.of({ ...jobOf('batch'), ...left, cancelledAt: NOW }))
      .then(end('cancelled'));
    life
      .given(created)
      .when(JobTimedOut.of({ ...jobOf('batch'), ...left, limit: 'run', timedOutAt: NOW }))
      .then(end('timed_out'));
    const fault = { code: 'input_file_missing', message: 'deleted' };
    life
      .given(created)
      .when(JobFailed.of({ ...jobOf('batch'), ...left, ...fault, failedAt: NOW }))
      .then(end('failed', fault));
  });

  it('ignores the jobs of other types, and those without a batch', () => {
    life.given().when(progressed('other')).thenNothing();
    life.given().when(completed('other')).thenNothing();
    life.given().when(completed('other')).thenEnds();
    life.given().when(completed()).thenNothing();
  });
});
