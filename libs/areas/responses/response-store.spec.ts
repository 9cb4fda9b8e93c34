import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ResponseStored } from '#events/responses/response.events.js';
import { UserId } from '#events/vocabulary.js';
import { BLOB_TIMES } from '#platform/blobs/blob.times.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { responseIdOf } from './response-id.js';
import { openResponseStage, type ResponseStage } from './response-stage.fixture.js';
import { CONVERSATION_BYTES_MAX, DEPTH_MAX, type ResponseStore } from './response-store.js';

const DAY_MS = 86_400_000;
const userId = UserId.parse(7);
const rejected = (code: string) => expect.objectContaining({ name: 'DomainError', code });
const uuid = (n: number): string => `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`;

describe('stored responses', () => {
  let stage: ResponseStage;
  let responses: ResponseStore;
  let nowMs: number;
  let requests: number;

  beforeEach(async () => {
    nowMs = Date.parse('2026-03-01T09:00:00.000Z');
    requests = 0;
    stage = await openResponseStage(DAY_MS, () => nowMs);
    ({ responses } = stage);
  });

  afterEach(() => stage.close());

  /** Stores a response that says this, after another one. */
  const store = async (
    said: string,
    previous: ResponseStored['data'] | null = null,
  ): Promise<string> => {
    const requestId = uuid((requests += 1));
    const responseId = responseIdOf(requestId);
    const content = { input: [{ said }], response: { output: [{ id: responseId }] } };
    const response = { responseId, accountId: '7', userId, previous, content };
    await responses.store(response, contextOf(requestId, 'user:7'));
    return responseId;
  };

  const lastOf = async (id: string) => (await responses.conversation(id, '7')).last;

  it('are found by their account, until they expire', async () => {
    const id = await store('knots');
    expect(await responses.find(id, '7')).toEqual({
      input: [{ said: 'knots' }],
      response: { output: [{ id }] },
    });
    await expect(responses.find(id, '8')).rejects.toEqual(rejected('response_not_found'));
    nowMs += DAY_MS - 1;
    await responses.find(id, '7');
    nowMs += 1;
    await expect(responses.find(id, '7')).rejects.toEqual(rejected('response_not_found'));
    const previous = rejected('previous_response_not_found');
    await expect(responses.conversation(id, '7')).rejects.toEqual(previous);
  });

  it('make a conversation in the order in which they were created', async () => {
    const second = await store('b', await lastOf(await store('a')));
    const third = await store('c', await lastOf(second));
    const { last, contents } = await responses.conversation(third, '7');
    expect(contents.map(({ input }) => input)).toEqual([
      [{ said: 'a' }],
      [{ said: 'b' }],
      [{ said: 'c' }],
    ]);
    expect(last).toMatchObject({ depth: 3, conversationBytes: last.bytes * 3 });
    const missing = rejected('previous_response_not_found');
    await expect(responses.conversation(third, '8')).rejects.toEqual(missing);
  });

  it('take their content with them when they are deleted', async () => {
    const first = await store('a');
    const second = await store('b', await lastOf(first));
    await responses.delete(first, '7', contextOf(uuid(100), 'user:7'));
    await expect(responses.find(first, '7')).rejects.toEqual(rejected('response_not_found'));
    const missing = rejected('previous_response_not_found');
    await expect(responses.conversation(second, '7')).rejects.toEqual(missing);
    const sweeper = await stage.blobs.open({ ...BLOB_TIMES, keptMs: -1 });
    expect(await sweeper.sweep()).toMatchObject({ blobsKept: 1, blobsRemoved: 1 });
    await responses.find(second, '7');
  });

  it('are not found once their user is erased', async () => {
    const id = await store('a');
    await stage.blobs.erase('user:7');
    await expect(responses.find(id, '7')).rejects.toEqual(rejected('response_not_found'));
    const missing = rejected('previous_response_not_found');
    await expect(responses.conversation(id, '7')).rejects.toEqual(missing);
  });

  it('make conversations of bounded length and size', async () => {
    const last = await lastOf(await store('a'));
    const tooLong = rejected('conversation_too_long');
    const depths = [DEPTH_MAX - 2, DEPTH_MAX - 1];
    const [taken, full] = await Promise.all(depths.map((depth) => store('b', { ...last, depth })));
    await responses.conversation(taken ?? '', '7');
    await expect(responses.conversation(full ?? '', '7')).rejects.toEqual(tooLong);
    const large = await store('x'.repeat(CONVERSATION_BYTES_MAX));
    await expect(responses.conversation(large, '7')).rejects.toEqual(tooLong);
  });

  it('reject a text that is not the id of a response', async () => {
    await expect(responses.find('resp_1', '7')).rejects.toEqual(rejected('response_not_found'));
    const deleted = responses.delete('a/../b', '7', contextOf(uuid(100), 'user:7'));
    await expect(deleted).rejects.toEqual(rejected('response_not_found'));
  });
});
