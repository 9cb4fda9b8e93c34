import { describe, expect, it } from '@jest/globals';
import { type ShownBatch } from '#areas/batches/batch.queries.js';
import { BatchId } from '#events/batches/batch.events.js';
import { UserId } from '#events/vocabulary.js';
import { presentBatch, presentBatches } from './batches.presenter.js';

const AT = '2026-11-22T06:00:00.999Z';
const SECONDS = Math.floor(Date.parse(AT) / 1_000);

const batch: ShownBatch = {
  created: {
    batchId: BatchId.parse('01890a5d-ac96-474b-8cce-b302099a8057'),
    accountId: '7',
    userId: UserId.parse(7),
    endpoint: '/v1/chat/completions',
    inputFileId: 'file-in',
    completionWindow: '24h',
    sealedMetadata: 'sealed',
    outputExpiresAfterSeconds: null,
    model: 'acme/llama',
    lines: 3,
    createdAt: AT,
    expiresAt: AT,
  },
  metadata: { team: 'knots' },
  startedAt: null,
  cancellationRequestedAt: null,
  finalizingAt: null,
  counts: { total: 3, completed: 0, failed: 0 },
  end: null,
};
const end = {
  outcome: 'completed',
  outputFileId: 'file-out',
  errorFileId: null,
  usage: [
    { meter: 'input_tokens', quantity: 5 },
    { meter: 'output_tokens', quantity: 7 },
  ],
  faults: [],
  endedAt: AT,
} as const;

describe('a batch in the shape of OpenAI', () => {
  it('has every field, with instants in seconds', () => {
    expect(presentBatch(batch)).toEqual({
      id: 'batch_01890a5dac96474b8cceb302099a8057',
      object: 'batch',
      endpoint: '/v1/chat/completions',
      model: 'acme/llama',
      errors: null,
      input_file_id: 'file-in',
      completion_window: '24h',
      status: 'validating',
      output_file_id: null,
      error_file_id: null,
      created_at: SECONDS,
      in_progress_at: null,
      expires_at: SECONDS,
      finalizing_at: null,
      completed_at: null,
      failed_at: null,
      expired_at: null,
      cancelling_at: null,
      cancelled_at: null,
      request_counts: { total: 3, completed: 0, failed: 0 },
      usage: null,
      usage_doubts: [],
      metadata: { team: 'knots' },
    });
  });

  it.each([
    ['in_progress', { startedAt: AT }],
    ['cancelling', { startedAt: AT, cancellationRequestedAt: AT }],
    ['finalizing', { startedAt: AT, finalizingAt: AT }],
    ['completed', { startedAt: AT, finalizingAt: AT, end }],
    ['failed', { end: { ...end, outcome: 'failed' } }],
    ['expired', { end: { ...end, outcome: 'expired' } }],
    ['cancelled', { cancellationRequestedAt: AT, end: { ...end, outcome: 'cancelled' } }],
  ] as const)('is %s', (status, changes) => {
    const shown = presentBatch({ ...batch, ...changes });
    expect(shown.status).toBe(status);
    const times = [shown.completed_at, shown.failed_at, shown.expired_at, shown.cancelled_at];
    expect(times.filter((at) => at !== null)).toEqual('end' in changes ? [SECONDS] : []);
  });

  it('states what was used, and its faults', () => {
    const faults = [{ code: 'empty_file', message: 'no line', param: null, line: null }];
    expect(presentBatch({ ...batch, end: { ...end, faults } })).toMatchObject({
      usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
      errors: { object: 'list', data: faults },
      output_file_id: 'file-out',
    });
  });

  it('is listed with the first and the last id', () => {
    const { id } = presentBatch(batch);
    expect(presentBatches({ batches: [batch], hasMore: true })).toMatchObject({
      object: 'list',
      first_id: id,
      last_id: id,
      has_more: true,
    });
    expect(presentBatches({ batches: [], hasMore: false })).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });
});
