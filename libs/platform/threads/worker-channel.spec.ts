import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Bell } from './bell.js';
import { WorkerChannel } from './worker-channel.js';
import {
  type FixtureData,
  type FixtureReply,
  type FixtureRequest,
} from './worker-channel.fixture.js';

const FIXTURE = new URL('./worker-channel.fixture.js', import.meta.url);

describe.each([
  ['with an event loop', () => undefined],
  ['at a bell', () => new Bell()],
])('a worker channel to a thread %s', (_thread, bellOf) => {
  let channel: WorkerChannel<FixtureRequest, FixtureReply>;

  const ask = (request: FixtureRequest): Promise<FixtureReply | null> =>
    new Promise((resolve) => channel.request(request, resolve));
  const echo = (word: string) => ask({ kind: 'echo', word });

  beforeEach(async () => {
    const bell = bellOf();
    const data: FixtureData = { prefix: 'echo', ...(bell && { bell: bell.memory }) };
    channel = new WorkerChannel(FIXTURE, data, bell);
    expect(await channel.started()).toBe('thread started');
  });

  afterEach(() => channel.close({ kind: 'close' }));

  it('gives every request its own reply', async () => {
    const replies = await Promise.all(['one', 'two', 'three'].map(echo));
    expect(replies).toEqual(['echo one', 'echo two', 'echo three']);
  });

  it('answers after a silence', async () => {
    for (const word of ['one', 'two', 'three']) {
      expect(await echo(word)).toBe(`echo ${word}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });

  it('gives null to what waits when the thread fails, and to what comes later', async () => {
    const replies = await Promise.all([echo('one'), ask({ kind: 'fail' }), echo('two')]);
    expect(replies).toEqual(['echo one', null, null]);
    expect(channel.isOpen).toBe(false);
    expect(channel.failure?.message).toBe('the disk is on fire');
    expect(await echo('three')).toBeNull();
  });

  it('gives null when the thread exits without an error', async () => {
    expect(await ask({ kind: 'exit' })).toBeNull();
    expect(channel.isOpen).toBe(false);
    expect(channel.failure).toBeNull();
  });

  it('closes after the requests before it, and rejects those after it', async () => {
    const before = echo('before');
    const closing = channel.close({ kind: 'close' });
    expect(channel.isOpen).toBe(false);
    expect(await echo('after')).toBeNull();
    await closing;
    expect(await before).toBe('echo before');
  });

  it('can be closed twice, and after a failure', async () => {
    await ask({ kind: 'fail' });
    const close = () => channel.close({ kind: 'close' });
    await Promise.all([close(), close()]);
    expect(channel.isOpen).toBe(false);
  });
});
