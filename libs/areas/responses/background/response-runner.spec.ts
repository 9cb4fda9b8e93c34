import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { responseEvents } from '#events/responses/response.events.js';
import { UserId } from '#events/vocabulary.js';
import { BlobsStage } from '#platform/blobs/blobs.fixture.js';
import { FileObjectStore } from '#platform/blobs/file/file-object-store.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { type LineRetry } from '#platform/batches/batch-endpoint.js';
import { EventCodec } from '#platform/runtime/event-codec.js';
import { RigFailure, ScriptedChatLines } from '../chat-lines.fake.js';
import { ResponseBlobs } from '../response-blobs.js';
import { jobIdOf, responseIdOf } from '../response-id.js';
import { ResponseStore } from '../response-store.js';
import { ResponseStreams } from '../response-streams.js';
import { readResponseBody } from '../translation/response-body.js';
import { type BackgroundInput } from './background-input.js';
import { ResponseRunner } from './response-runner.js';

const AT = Date.parse('2026-03-01T09:00:00.000Z');
const responseId = responseIdOf('01890a5d-ac96-774b-bcce-b302099a8057');
const input: BackgroundInput = {
  responseId,
  userId: UserId.parse(7),
  previous: null,
  input: [{ said: 'a' }],
  body: readResponseBody({ model: 'm', background: true, previous_response_id: 'resp_1' }),
  chat: { model: 'm', messages: [{ role: 'user', content: 'a' }] },
};

describe('an attempt of a response in the background', () => {
  const stage = new BlobsStage();
  let folder: string;
  let eventStore: EventStore;
  let streams: ResponseStreams;
  let store: ResponseStore;
  let chats: ScriptedChatLines;
  let nowMs: number;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-background-'));
    const objects = path.join(folder, 'blobs');
    await stage.begin(() =>
      Promise.resolve({
        open: () => Promise.resolve(new FileObjectStore(objects)),
        remove: () => Promise.resolve(),
      }),
    );
    eventStore = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
    streams = new ResponseStreams(eventStore, new EventCodec(responseEvents));
    const blobs = new ResponseBlobs(stage.blobs);
    nowMs = AT;
    store = new ResponseStore(streams, blobs, { retentionMs: 1_000 }, { now: () => nowMs });
    chats = new ScriptedChatLines();
  });

  afterEach(async () => {
    await eventStore.close();
    await stage.end();
    await rm(folder, { recursive: true });
  });

  const run = async (signal = new AbortController().signal) => {
    const logger = pino({ level: 'silent' });
    const runner = new ResponseRunner(chats, store, streams, { now: () => nowMs }, logger);
    const jobId = jobIdOf(responseId);
    const attempt = { jobId, accountId: '7', attempt: 1, input, checkpoint: null, usage: [] };
    const end = await runner.run(attempt, signal).next();
    if (!end.done) throw new Error('it reports no progress');
    return end.value;
  };

  it('answers by one interactive chat, and says what its job has used', async () => {
    expect(await run()).toMatchObject({
      result: {
        id: responseId,
        status: 'completed',
        background: true,
        created_at: AT / 1e3,
        output: [{ content: [{ text: 'Cords.' }] }],
      },
      shown: { status: 'completed' },
      usage: [
        { meter: 'input_tokens', quantity: 2, rig: 'r' },
        { meter: 'output_tokens', quantity: 3, rig: 'r' },
      ],
    });
    expect(chats.asked).toMatchObject([
      { line: { body: input.chat }, order: { accountId: '7', priority: 'interactive' } },
    ]);
    const { response } = await store.find(responseId, '7');
    expect(response).toMatchObject({ id: responseId, status: 'in_progress', output: [] });
  });

  it('has the time of the first attempt, and is incomplete where the model stopped', async () => {
    await run();
    nowMs += 5_000;
    chats.finishReason = 'length';
    expect(await run()).toMatchObject({
      result: {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        created_at: AT / 1e3,
        completed_at: AT / 1e3 + 5,
      },
      shown: { status: 'incomplete' },
    });
  });

  const failing = (retry: LineRetry, status: number | null) => {
    const shown = status === null ? undefined : { status, code: 'knotted', message: 'no' };
    chats.before = () => Promise.reject(new RigFailure(retry, shown));
  };

  it('is a failed response, and free, where a rig rejects it', async () => {
    failing('never', 400);
    expect(await run()).toMatchObject({
      result: { status: 'failed', error: { code: 'knotted', message: 'no' }, output: [] },
      shown: { status: 'failed' },
      usage: [],
    });
  });

  it.each(['limited', 'always'] as const)('is tried again where a rig may: %s', async (retry) => {
    failing(retry, 503);
    await expect(run()).rejects.toMatchObject({ code: 'rigs_unavailable', message: 'no' });
  });

  it('shows nothing of a defect', async () => {
    failing('never', null);
    expect(await run()).toMatchObject({ result: { error: { code: 'internal_error' } } });
  });

  it('stops when it is stopped', async () => {
    const stop = new AbortController();
    chats.before = () => {
      stop.abort(new Error('stopped'));
      return Promise.reject(new RigFailure('never', { status: 499, code: 'c', message: 'm' }));
    };
    await expect(run(stop.signal)).rejects.toThrow('stopped');
  });
});
