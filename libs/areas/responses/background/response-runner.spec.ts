import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { UserId } from '#events/vocabulary.js';
import { AbortedItemError } from '#platform/batches/aborted-item.js';
import { type ItemRetry } from '#platform/batches/batch-endpoint.js';
import { JobOverError } from '#platform/jobs/job-type.js';
import { RigFailure, ScriptedChatLines } from '../chat-calls.fake.js';
import { jobIdOf, responseIdOf } from '../response-id.js';
import { openResponseStage, type ResponseStage } from '../response-stage.fixture.js';
import { type ResponseStore } from '../response-store.js';
import { type ResponseStreams } from '../response-streams.js';
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
  let stage: ResponseStage;
  let streams: ResponseStreams;
  let store: ResponseStore;
  let chats: ScriptedChatLines;
  let nowMs: number;

  beforeEach(async () => {
    nowMs = AT;
    stage = await openResponseStage(1_000, () => nowMs);
    ({ streams, responses: store } = stage);
    chats = new ScriptedChatLines();
  });

  afterEach(() => stage.close());

  const pieces = (signal: AbortSignal) => {
    const logger = pino({ level: 'silent' });
    const runner = new ResponseRunner(chats, store, streams, { now: () => nowMs }, logger);
    const jobId = jobIdOf(responseId);
    const attempt = {
      jobId,
      accountId: '7',
      submittedAt: '2026-11-22T15:00:00.000Z',
      attempt: 1,
      input,
      checkpoint: null,
      usage: [],
    };
    return runner.run(attempt, signal);
  };

  const run = async (signal = new AbortController().signal) => {
    const end = await pieces(signal).next();
    if (!end.done) throw new Error('it reports no progress');
    return end.value;
  };

  it('answers by one interactive chat, and states the usage of its job', async () => {
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

  const failing = (retry: ItemRetry, status: number | null) => {
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

  it('has the usage of a rig that had begun when its job was cancelled, and no other', async () => {
    const attempt = (reason: Error, error: Error) => {
      const stop = new AbortController();
      chats.before = () => {
        stop.abort(reason);
        return Promise.reject(error);
      };
      return pieces(stop.signal);
    };
    const begun = new AbortedItemError([
      { rig: 'r', meter: 'input_tokens', quantity: 2 },
      { rig: 'r', meter: 'output_tokens', quantity: 0 },
    ]);
    const cancelled = attempt(new JobOverError(), begun);
    expect((await cancelled.next()).value).toMatchObject({
      shown: { status: 'cancelled' },
      usage: [
        { meter: 'input_tokens', quantity: 2, rig: 'r' },
        { meter: 'output_tokens', quantity: 0, rig: 'r' },
      ],
    });
    await expect(cancelled.next()).rejects.toBeInstanceOf(JobOverError);
    // Another process runs it again.
    await expect(attempt(new Error('drained'), begun).next()).rejects.toThrow('drained');
    const never = new RigFailure('never', undefined);
    await expect(attempt(new JobOverError(), never).next()).rejects.toBeInstanceOf(JobOverError);
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
