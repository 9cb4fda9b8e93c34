import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { batchEvents } from '#events/batches/batch.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { AbortedItemError } from '#platform/batches/aborted-item.js';
import { JobOverError, type Progress } from '#platform/jobs/job-type.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type BatchProgress } from '#events/batches/batch.job.js';
import {
  ACCOUNT_ID,
  AwayError,
  BATCH_ID,
  EchoEndpoint,
  FakeBlobs,
  FakeFiles,
  gather,
  inputLine,
  inputOf,
  jsonl,
  MODEL,
  NOW,
  PATH,
  silent,
  USER_ID,
} from './batches-world.fixture.js';
import {
  type BatchCheckpoint,
  countsOf,
  finishedLines,
  NO_PARTS,
  usageOf,
} from './batch-checkpoint.js';
import { batchJob } from './batch.job.js';
import { type BatchEndpoints } from './batch-endpoints.js';
import { BatchParts } from './batch-parts.js';
import { BatchRecords } from './batch-records.js';
import { BatchRunner } from './batch-runner.js';
import { BatchStreams } from './batch-streams.js';

const OWNER = { userId: USER_ID, batchId: BATCH_ID };
const never = new AbortController().signal;

describe('an attempt of a batch', () => {
  let home: string;
  let eventStore: EventStore;
  let files: FakeFiles;
  let blobs: FakeBlobs;
  let parts: BatchParts;
  let endpoint: EchoEndpoint;
  let streams: BatchStreams;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-batch-'));
    eventStore = await openSqliteEventStore({ file: path.join(home, 'events.db') });
    files = new FakeFiles();
    blobs = new FakeBlobs();
    parts = new BatchParts(blobs);
    endpoint = new EchoEndpoint();
    streams = new BatchStreams(eventStore, new EventCodec(batchEvents));
  });

  afterEach(async () => {
    await eventStore.close();
    await rm(home, { recursive: true });
  });

  const runnerOf = (linesAtOnce = 8): BatchRunner => {
    const clock = { now: () => Date.parse(NOW) };
    const endpoints = { of: () => endpoint } as unknown as BatchEndpoints;
    const secrets = { subjects: {} } as never;
    const records = new BatchRecords(secrets, clock);
    const areas = new Areas([]);
    const settings = { linesAtOnce, lineBackOff: { firstMs: 1, maxMs: 2 } };
    return new BatchRunner(
      endpoints,
      files,
      parts,
      streams,
      records,
      areas,
      settings,
      clock,
      silent,
    );
  };

  const attemptOf = (lines: number, checkpoint: BatchCheckpoint | null = null) => ({
    jobId: BATCH_ID,
    accountId: ACCOUNT_ID,
    submittedAt: '2026-11-22T15:00:00.000Z',
    attempt: 1,
    input: {
      userId: USER_ID,
      endpoint: PATH,
      inputFileId: 'file-in',
      completionWindow: '24h' as const,
      metadata: null,
      outputExpiresAfterSeconds: null,
      model: MODEL,
      lines,
    },
    checkpoint,
    usage: [],
  });

  const give = (text: string): void => {
    files.inputs.set('file-in', { purpose: 'batch', text });
  };

  /** Runs to the end. */
  const run = async (lines: number, checkpoint: BatchCheckpoint | null = null) => {
    const reported: Progress<BatchProgress, BatchCheckpoint>[] = [];
    const work = runnerOf().run(attemptOf(lines, checkpoint), never);
    let next = await work.next();
    for (; !next.done; next = await work.next()) reported.push(next.value);
    return { reported, ended: next.value };
  };

  const outputOf = async ({ parts: of }: BatchCheckpoint, kind: 'output' | 'errors' = 'output') =>
    jsonl(await gather(parts.read(OWNER, of, kind)));

  it('runs every line once, and reports only stored results', async () => {
    give(inputOf(95));
    const { reported, ended } = await run(95);
    const ids = Array.from({ length: 95 }, (_, index) => `line-${index + 1}`);
    expect(endpoint.asked.toSorted()).toEqual(ids.toSorted());
    const output = await outputOf(ended.result);
    expect(output.map((line) => line['custom_id']).toSorted()).toEqual(ids.toSorted());
    expect(output[0]).toMatchObject({
      id: expect.stringMatching(/^batch_req_[0-9a-f]{32}$/),
      response: { status_code: 200, body: { echo: expect.stringMatching(/^line-/) } },
      error: null,
      charged: { output_tokens: 2 },
    });
    expect(ended.shown).toEqual({ total: 95, completed: 95, failed: 0 });
    expect(ended.usage).toContainEqual({ rig: 'mill', meter: 'output_tokens', quantity: 94 });
    expect(ended.usage).toContainEqual({ rig: 'press', meter: 'output_tokens', quantity: 96 });
    expect(reported.map(({ done }) => done)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 95]);
    for (const { checkpoint } of reported) {
      const { parts: stored } = checkpoint ?? NO_PARTS;
      for (const { output: address } of stored)
        expect(blobs.contents.has(address ?? '')).toBe(true);
    }
  });

  it('records the batch that a crash left out, and its start', async () => {
    give(inputOf(1));
    await run(1);
    await run(1);
    const pages = await Array.fromAsync(eventStore.read(`batch-${BATCH_ID}`));
    const types = pages.flat().map(({ type }) => type);
    expect(types).toEqual(['BatchCreated', 'BatchStarted']);
  });

  it('continues where the last checkpoint ends', async () => {
    give(inputOf(60));
    const { reported, ended } = await run(60);
    const checkpoint = reported[3]?.checkpoint ?? NO_PARTS;
    expect(countsOf(checkpoint, 60).completed).toBe(40);
    endpoint.asked.length = 0;
    const again = await run(60, checkpoint);
    expect(endpoint.asked).toHaveLength(20);
    const ids = (await outputOf(again.ended.result)).map((line) => line['custom_id']);
    expect(new Set(ids).size).toBe(60);
    expect(again.ended.usage).toHaveLength(4);
    expect(again.ended.usage).toEqual(expect.arrayContaining([...ended.usage]));
  });

  it('keeps a failed line as the answer that its request would get, free of charge', async () => {
    give(`${inputLine('good')}\n${inputLine('bad', { text: 5 })}\n`);
    const { ended } = await run(2);
    expect(ended.shown).toEqual({ total: 2, completed: 1, failed: 1 });
    expect(ended.usage).toContainEqual({ rig: 'press', meter: 'input_tokens', quantity: 4 });
    expect(await outputOf(ended.result, 'errors')).toMatchObject([
      {
        custom_id: 'bad',
        response: {
          status_code: 400,
          body: {
            error: {
              message: 'text: must be a text',
              type: 'invalid_request_error',
              param: 'text',
              code: 'invalid_request',
            },
          },
        },
        error: null,
      },
    ]);
  });

  it('reports a defect as such and continues', async () => {
    give(inputOf(3));
    endpoint.before = (text) =>
      text === 'line-2' ? Promise.reject(new TypeError('secret')) : Promise.resolve();
    const { ended } = await run(3);
    const [failed] = await outputOf(ended.result, 'errors');
    expect(failed).toMatchObject({
      custom_id: 'line-2',
      response: { status_code: 500, body: { error: { code: 'internal_error' } } },
    });
    expect(JSON.stringify(failed)).not.toContain('secret');
  });

  it('when it is stopped, keeps the lines that have finished', async () => {
    give(inputOf(30));
    const stop = new AbortController();
    endpoint.before = async (_text, signal) => {
      if (endpoint.asked.length <= 13) return;
      if (endpoint.asked.length === 18) setImmediate(() => stop.abort(new Error('stopped')));
      await new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    };
    const work = runnerOf().run(attemptOf(30), stop.signal);
    let last: BatchCheckpoint = NO_PARTS;
    const ended = (async () => {
      for await (const { checkpoint } of work) last = checkpoint ?? last;
    })();
    await expect(ended).rejects.toThrow('stopped');
    expect(countsOf(last, 30)).toEqual({ total: 30, completed: 13, failed: 0 });
    const isFinished = finishedLines(last);
    expect([1, 13, 14].map(isFinished)).toEqual([true, true, false]);
  });

  it('charges for aborted lines when the job is over, but not after a drain', async () => {
    give(inputOf(3));
    const endedBy = async (reason: Error) => {
      const stop = new AbortController();
      endpoint.asked.length = 0;
      endpoint.before = async (text, signal) => {
        if (text === 'line-1') return;
        if (endpoint.asked.length === 3) setImmediate(() => stop.abort(reason));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        if (text === 'line-2') {
          throw new AbortedItemError([{ rig: 'mill', meter: 'input_tokens', quantity: 5 }]);
        }
      };
      let last = NO_PARTS;
      const work = runnerOf().run(attemptOf(3), stop.signal);
      const ended = (async () => {
        for await (const { checkpoint } of work) last = checkpoint ?? last;
      })();
      await expect(ended).rejects.toThrow(reason.message);
      return last;
    };
    const over = await endedBy(new JobOverError());
    expect(countsOf(over, 3)).toEqual({ total: 3, completed: 1, failed: 1 });
    expect(await outputOf(over, 'errors')).toMatchObject([
      {
        custom_id: 'line-2',
        response: null,
        error: { code: 'request_aborted' },
        charged: { input_tokens: 5 },
      },
    ]);
    expect(usageOf(over)).toContainEqual({ rig: 'mill', meter: 'input_tokens', quantity: 5 });
    const drained = await endedBy(new Error('the process stops'));
    expect(countsOf(drained, 3)).toEqual({ total: 3, completed: 1, failed: 0 });
    expect(usageOf(drained)).not.toContainEqual(expect.objectContaining({ quantity: 5 }));
  });

  it('names the doubts about the usage of its lines, also where it ends early', async () => {
    give(inputOf(25));
    endpoint.doubts.set('line-2', ['bad_count']).set('line-21', ['bad_count', 'total_differs']);
    const { reported, ended } = await run(25);
    expect(ended.shown).toMatchObject({ usageDoubts: ['bad_count', 'total_differs'] });
    const lines = await outputOf(ended.result);
    expect(lines.find((line) => line['custom_id'] === 'line-2')).toMatchObject({
      usage_doubts: ['bad_count'],
    });
    expect(lines.find((line) => line['custom_id'] === 'line-3')).toMatchObject({
      usage_doubts: [],
    });
    const summary = { endpoint: PATH, inputFileId: 'file-in', model: MODEL, lines: 25 };
    const job = {
      jobId: BATCH_ID,
      outcome: 'cancelled',
      attempts: 1,
      summary,
      result: null,
    } as const;
    const evidence = batchJob.price?.evidence;
    expect(evidence?.({ ...job, shown: reported[0]?.shown ?? null })).toMatchObject({
      outcome: 'cancelled',
      usageDoubts: ['bad_count'],
    });
    expect(evidence?.({ ...job, shown: null })).not.toHaveProperty('usageDoubts');
  });

  it('waits for a rig that is away, and tries a failing line a few times', async () => {
    give(`${inputLine('away')}\n${inputLine('weak')}\n`);
    const failures = { away: 4, weak: 9 };
    endpoint.before = (text) => {
      const name = text as keyof typeof failures;
      failures[name] -= 1;
      const retry = name === 'away' ? 'always' : 'limited';
      return failures[name] >= 0 ? Promise.reject(new AwayError(retry)) : Promise.resolve();
    };
    const { ended } = await run(2);
    expect(ended.shown).toEqual({ total: 2, completed: 1, failed: 1 });
    expect(endpoint.asked.filter((text) => text === 'weak')).toHaveLength(3);
  });

  it('fails for good without its input file', async () => {
    await expect(run(3)).rejects.toMatchObject({ code: 'input_file_missing' });
    give(inputOf(2));
    await expect(run(3)).rejects.toMatchObject({ code: 'input_file_changed' });
    give('nonsense\n');
    await expect(run(3)).rejects.toMatchObject({ code: 'input_file_changed' });
  });

  it('asks at most three lines at once', async () => {
    give(inputOf(20));
    let open = 0;
    let most = 0;
    endpoint.before = async () => {
      most = Math.max(most, (open += 1));
      await new Promise(setImmediate);
      open -= 1;
    };
    const work = runnerOf(3).run(attemptOf(20), never);
    while (!(await work.next()).done);
    expect(most).toBe(3);
  });
});
