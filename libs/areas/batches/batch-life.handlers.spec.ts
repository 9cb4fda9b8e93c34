import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type BatchEnded, batchEvents, BatchId } from '#events/batches/batch.events.js';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { type Jobs } from '#platform/jobs/jobs.port.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  ACCOUNT_ID,
  BATCH_ID,
  FakeBlobs,
  FakeFiles,
  inputOf,
  jsonl,
  MODEL,
  NOW,
  PATH,
  USER_ID,
} from './batches-world.fixture.js';
import { type BatchCheckpoint } from './batch-checkpoint.js';
import { type JobOutcome } from './batch.decider.js';
import {
  EndBatchCommand,
  EndBatchHandler,
  KeepBatchPartsCommand,
  KeepBatchPartsHandler,
} from './batch-life.handlers.js';
import { BatchOutputs } from './batch-outputs.js';
import { BatchParts } from './batch-parts.js';
import { BatchStreams } from './batch-streams.js';

const batchId = BatchId.parse(BATCH_ID);
const OWNER = { userId: USER_ID, batchId: BATCH_ID };
const clock = { now: () => Date.parse(NOW) };
const context = (step: string) => contextOf(derivedId(step, BATCH_ID), 'spec');

describe('the end of a batch', () => {
  let home: string;
  let eventStore: EventStore;
  let files: FakeFiles;
  let blobs: FakeBlobs;
  let parts: BatchParts;
  let streams: BatchStreams;
  let left: BatchCheckpoint | null;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-batch-end-'));
    eventStore = await openSqliteEventStore({ file: path.join(home, 'events.db') });
    files = new FakeFiles();
    files.inputs.set('file-in', { purpose: 'batch', text: inputOf(4) });
    blobs = new FakeBlobs();
    parts = new BatchParts(blobs);
    streams = new BatchStreams(eventStore, new EventCodec(batchEvents));
    left = null;
    const created = {
      batchId,
      accountId: ACCOUNT_ID,
      userId: USER_ID,
      endpoint: PATH,
      inputFileId: 'file-in',
      completionWindow: '24h' as const,
      sealedMetadata: null,
      outputExpiresAfterSeconds: null,
      model: MODEL,
      lines: 4,
      createdAt: NOW,
      expiresAt: NOW,
    };
    await streams.run({ type: 'CreateBatch', data: created }, context('create'));
  });

  afterEach(async () => {
    await eventStore.close();
    await rm(home, { recursive: true });
  });

  const jobs = (): Jobs => {
    const found = () => Promise.resolve(left);
    return { result: found, checkpoint: found } as unknown as Jobs;
  };

  const result = (number: number, isCompleted: boolean) => ({
    number,
    isCompleted,
    text: JSON.stringify({ custom_id: `line-${number}` }),
    used: isCompleted ? [{ meter: 'input_tokens', quantity: 2, rig: 'local-vllm' }] : [],
  });

  /** Line 3 is completed and line 1 has failed; the parts are in the order in which they ended. */
  const leave = async (): Promise<void> => {
    const stored = [
      await parts.store(OWNER, [result(3, true)]),
      await parts.store(OWNER, [result(1, false)]),
    ];
    left = { parts: stored };
  };

  const keep = () => new KeepBatchPartsHandler(jobs(), streams, parts);

  const end = async (outcome: JobOutcome): Promise<BatchEnded['data']> => {
    const outputs = new BatchOutputs(files, parts);
    const handler = new EndBatchHandler(jobs(), streams, outputs, parts, clock);
    const data = { batchId: BATCH_ID, outcome, endedAt: NOW, fault: null };
    await handler.execute(new EndBatchCommand(data, context('end')));
    const events = (await Array.fromAsync(eventStore.read(`batch-${BATCH_ID}`))).flat();
    return events.at(-1)?.data as BatchEnded['data'];
  };

  const idsIn = (fileId: string | null): readonly unknown[] =>
    jsonl(files.textOf(fileId)).map(({ custom_id: id }) => id);

  it('keeps the completed lines of a cancelled batch, and names the others', async () => {
    await leave();
    await streams.run(
      { type: 'RequestCancellation', data: { batchId, requestedAt: NOW } },
      context('cancel'),
    );
    const ended = await end('cancelled');
    expect(ended).toMatchObject({
      outcome: 'cancelled',
      counts: { total: 4, completed: 1, failed: 1 },
      usage: [{ meter: 'input_tokens', quantity: 2 }],
    });
    expect(idsIn(ended.outputFileId)).toEqual(['line-3']);
    expect(idsIn(ended.errorFileId)).toEqual(['line-1', 'line-2', 'line-4']);
    expect(jsonl(files.textOf(ended.errorFileId)).slice(1)).toMatchObject([
      { response: null, error: { code: 'batch_cancelled' } },
      { response: null, error: { code: 'batch_cancelled' } },
    ]);
  });

  it('says that the others have expired when the window is closed', async () => {
    await leave();
    await streams.run({ type: 'CloseWindow', data: { batchId, closedAt: NOW } }, context('close'));
    const ended = await end('cancelled');
    expect(ended.outcome).toBe('expired');
    const [, line] = jsonl(files.textOf(ended.errorFileId));
    expect(line).toMatchObject({ error: { code: 'batch_expired' } });
  });

  it('of a batch that never ran has no output file', async () => {
    const ended = await end('timed_out');
    expect(ended).toMatchObject({ outcome: 'expired', outputFileId: null, usage: [] });
    expect(idsIn(ended.errorFileId)).toEqual(['line-1', 'line-2', 'line-3', 'line-4']);
  });

  it('of a batch without an error has no error file, and is repeated without effect', async () => {
    const all = await parts.store(
      OWNER,
      [4, 1, 3, 2].map((number) => result(number, true)),
    );
    left = { parts: [all] };
    const ended = await end('completed');
    expect(ended).toMatchObject({ outcome: 'completed', errorFileId: null });
    expect(idsIn(ended.outputFileId)).toHaveLength(4);
    expect(await end('completed')).toEqual(ended);
    expect(files.outputs.size).toBe(1);
  });

  it('leaves what is left when the input file is gone', async () => {
    await leave();
    files.inputs.clear();
    const ended = await end('failed');
    expect(ended.outcome).toBe('failed');
    expect(idsIn(ended.outputFileId)).toEqual(['line-3']);
    expect(idsIn(ended.errorFileId)).toEqual(['line-1']);
  });

  it('is possible after the erasure of the user', async () => {
    await leave();
    blobs.open = () => Promise.reject(new BlobError('blob-erased', 'the key was erased'));
    expect(await end('completed')).toMatchObject({
      outcome: 'completed',
      outputFileId: null,
      errorFileId: null,
      faults: [{ code: 'content_gone', line: null, param: null }],
    });
  });

  it('releases the parts that a checkpoint has retained', async () => {
    await leave();
    await keep().execute(new KeepBatchPartsCommand({ batchId: BATCH_ID }));
    expect(blobs.retained).toHaveLength(2);
    await end('completed');
    expect(blobs.retained).toEqual([]);
    await keep().execute(new KeepBatchPartsCommand({ batchId: BATCH_ID }));
    expect(blobs.retained).toEqual([]);
  });
});
