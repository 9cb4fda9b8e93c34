import { describe, expect, it } from '@jest/globals';
import {
  BatchCancellationRequested,
  BatchCreated,
  BatchEnded,
  BatchFinalizing,
  BatchId,
  BatchStarted,
  BatchWindowClosed,
} from '#events/batches/batch.events.js';
import { UserId } from '#events/vocabulary.js';
import { JobId, JobProgressed } from '#events/jobs/job.events.js';
import { batchesOfAccount, batchOfAccountKey } from './batches-of-account.projection.js';
import { type BatchDocument, batches } from './batches.projection.js';

const ID = '01890a5d-ac96-474b-8cce-b302099a8057';
const NOW = '2026-11-22T06:00:00.000Z';
const ofBatch = { batchId: BatchId.parse(ID), accountId: '7' };
const created = BatchCreated.of({
  ...ofBatch,
  endpoint: '/v1/echo',
  userId: UserId.parse(7),
  inputFileId: 'file-in',
  completionWindow: '24h',
  sealedMetadata: null,
  outputExpiresAfterSeconds: null,
  model: 'acme/echo',
  lines: 3,
  createdAt: NOW,
  expiresAt: NOW,
});
const progressed = (type: string) =>
  JobProgressed.of({
    jobId: JobId.parse(ID),
    accountId: '7',
    type,
    submittedAt: NOW,
    attempt: 1,
    sequence: 1,
    done: 2,
    total: 3,
    progress: { total: 3, completed: 1, failed: 1 },
    checkpoint: null,
    usage: [],
    progressedAt: NOW,
  });
const ended = BatchEnded.of({
  ...ofBatch,
  outcome: 'cancelled',
  outputFileId: 'file-out',
  errorFileId: 'file-err',
  counts: { total: 3, completed: 2, failed: 0 },
  usage: [{ meter: 'input_tokens', quantity: 5 }],
  faults: [],
  endedAt: NOW,
});

type Event = Parameters<typeof batches.project>[0];
const documentAfter = (...events: readonly Event[]): BatchDocument | null =>
  events.reduce<BatchDocument | null>(
    (document, event) => batches.project(event, document ?? batches.initial(ID), ID),
    null,
  );

describe('batches', () => {
  it('show how far they are and where their files are', () => {
    const events = [
      created,
      BatchStarted.of({ ...ofBatch, startedAt: NOW }),
      progressed('batch'),
      BatchCancellationRequested.of({ ...ofBatch, requestedAt: NOW }),
      BatchWindowClosed.of({ ...ofBatch, closedAt: NOW }),
      BatchFinalizing.of({ ...ofBatch, finalizingAt: NOW }),
    ];
    const { data } = created;
    const running = {
      created: data,
      startedAt: NOW,
      cancellationRequestedAt: NOW,
      finalizingAt: NOW,
      counts: { total: 3, completed: 1, failed: 1 },
      end: null,
    };
    expect(documentAfter(...events)).toEqual(running);
    expect(documentAfter(...events, ended)).toEqual({
      ...running,
      counts: { total: 3, completed: 2, failed: 0 },
      end: {
        outcome: 'cancelled',
        outputFileId: 'file-out',
        errorFileId: 'file-err',
        usage: [{ meter: 'input_tokens', quantity: 5 }],
        faults: [],
        endedAt: NOW,
      },
    });
  });

  it('count their lines from the start', () => {
    expect(documentAfter(created)?.counts).toEqual({ total: 3, completed: 0, failed: 0 });
  });

  it('have no document of other jobs, and none before they are created', () => {
    expect(batches.keys(progressed('other'))).toEqual([]);
    expect(batches.keys(progressed('batch'))).toEqual([ID]);
    expect(documentAfter(progressed('batch'))).toBeNull();
  });
});

describe('the batches of an account', () => {
  it('are in the order of their creation', () => {
    const [key = ''] = batchesOfAccount.keys(created);
    expect(key).toBe(batchOfAccountKey('7', NOW, ID));
    const later = batchOfAccountKey('7', '2026-11-22T06:00:00.001Z', '00000000');
    expect([later, key].sort()).toEqual([key, later]);
    expect(batchesOfAccount.project(created, batchesOfAccount.initial(key), key)).toEqual({
      batchId: ID,
    });
  });
});
