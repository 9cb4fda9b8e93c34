import { describe, it } from '@jest/globals';
import {
  BatchCancellationRequested,
  BatchCreated,
  BatchEnded,
  BatchFinalizing,
  BatchId,
  BatchStarted,
  BatchWindowClosed,
} from '#events/batches/batch.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type BatchCommand, batchDecider, type JobOutcome } from './batch.decider.js';
import {
  ACCOUNT_ID as accountId,
  BATCH_ID,
  MODEL,
  NOW,
  PATH,
  USER_ID,
} from './batches-world.fixture.js';

const batchId = BatchId.parse(BATCH_ID);
const facts = {
  batchId,
  accountId,
  endpoint: PATH,
  userId: USER_ID,
  inputFileId: 'file-in',
  completionWindow: '24h' as const,
  sealedMetadata: null,
  outputExpiresAfterSeconds: null,
  model: MODEL,
  lines: 3,
  createdAt: NOW,
  expiresAt: '2026-11-23T06:00:00.000Z',
};
const created = BatchCreated.of(facts);
const started = BatchStarted.of({ batchId, accountId, startedAt: NOW });
const cancelling = BatchCancellationRequested.of({ batchId, accountId, requestedAt: NOW });
const expiring = BatchWindowClosed.of({ batchId, accountId, closedAt: NOW });
const finalizing = BatchFinalizing.of({ batchId, accountId, finalizingAt: NOW });

const end = {
  batchId,
  outputFileId: 'file-out',
  errorFileId: null,
  counts: { total: 3, completed: 3, failed: 0 },
  usage: [{ meter: 'input_tokens', quantity: 9 }],
  faults: [],
  endedAt: NOW,
};
const endedAs = (outcome: BatchEnded['data']['outcome']) =>
  BatchEnded.of({ ...end, accountId, outcome });
const endWith = (jobOutcome: JobOutcome): BatchCommand => ({
  type: 'EndBatch',
  data: { ...end, jobOutcome },
});
const cancel: BatchCommand = { type: 'RequestCancellation', data: { batchId, requestedAt: NOW } };
const start: BatchCommand = { type: 'StartBatch', data: { batchId, startedAt: NOW } };
const closeWindow: BatchCommand = { type: 'CloseWindow', data: { batchId, closedAt: NOW } };
const finalize: BatchCommand = { type: 'StartFinalizing', data: { batchId, finalizingAt: NOW } };

const batch = deciderSpecOf(batchDecider);

describe('a batch', () => {
  it('is created once', () => {
    batch.given().when({ type: 'CreateBatch', data: facts }).then(created);
    batch.given(created).when({ type: 'CreateBatch', data: facts }).thenNothing();
  });

  it('fails at once when its input is not valid', () => {
    const faults = [{ code: 'empty_file', message: 'no line', param: null, line: null }];
    const data = { ...facts, model: null, lines: 0 };
    const counts = { total: 0, completed: 0, failed: 0 };
    batch
      .given()
      .when({ type: 'RejectInput', data: { ...data, faults } })
      .then(
        BatchCreated.of(data),
        BatchEnded.of({
          ...end,
          accountId,
          outcome: 'failed',
          outputFileId: null,
          counts,
          usage: [],
          faults,
        }),
      );
    batch
      .given(created)
      .when({ type: 'RejectInput', data: { ...data, faults } })
      .thenNothing();
  });

  it('starts with the first attempt of its job', () => {
    batch.given(created).when(start).then(started);
    batch.given(created, started).when(start).thenNothing();
    batch.given(created, cancelling).when(start).thenNothing();
  });

  it('is cancelled before and while it runs, once', () => {
    batch.given(created).when(cancel).then(cancelling);
    batch.given(created, started).when(cancel).then(cancelling);
    batch.given(created, cancelling).when(cancel).thenNothing();
    batch.given(created, cancelling, endedAs('cancelled')).when(cancel).thenNothing();
  });

  it('cannot be cancelled when its files are being written or are there', () => {
    batch.given(created, finalizing).when(cancel).thenThrows('batch_not_cancellable');
    batch.given(created, expiring).when(cancel).thenThrows('batch_not_cancellable');
    batch.given(created, endedAs('completed')).when(cancel).thenThrows('batch_not_cancellable');
    batch.given().when(cancel).thenThrows('batch_not_found');
  });

  it('closes its window unless it is ending', () => {
    batch.given(created, started).when(closeWindow).then(expiring);
    for (const event of [cancelling, expiring, finalizing, endedAs('completed')]) {
      batch.given(created, started, event).when(closeWindow).thenNothing();
    }
  });

  it('is finalized once', () => {
    batch.given(created, started).when(finalize).then(finalizing);
    batch.given(created, started, cancelling).when(finalize).then(finalizing);
    batch.given(created, finalizing).when(finalize).thenNothing();
    batch.given(created, endedAs('completed')).when(finalize).thenNothing();
  });

  it('ends as its job does', () => {
    batch.given(created, finalizing).when(endWith('completed')).then(endedAs('completed'));
    batch.given(created, started).when(endWith('failed')).then(endedAs('failed'));
    batch.given(created, started).when(endWith('timed_out')).then(endedAs('expired'));
    batch.given(created, cancelling).when(endWith('cancelled')).then(endedAs('cancelled'));
    batch.given(created, started).when(endWith('cancelled')).then(endedAs('cancelled'));
  });

  it('expires when its job is cancelled because the window is closed', () => {
    batch.given(created, expiring).when(endWith('cancelled')).then(endedAs('expired'));
  });

  it('ends once', () => {
    batch.given(created, endedAs('completed')).when(endWith('cancelled')).thenNothing();
  });
});
