import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pino } from 'pino';
import { ForwardingReadStore } from '#platform/read-store/forwarding-read-store.js';
import { type ReadStoreUnderTest } from '#platform/read-store/read-store.fixture.js';
import { type ReadStore, type ReadStoreCommit } from '#platform/read-store/read-store.port.js';
import { openSecrets, type Secrets } from '#platform/secrets/secrets.js';
import { KEPT_STREAMS } from './kept-stream.documents.js';
import { KeptStreamError } from './kept-stream.errors.js';
import { KeptStreams } from './kept-streams.js';
import { type StreamKeeper } from './stream-keeper.js';

/** Silence of 200 ms loses a stream. */
const TIMES = { graceMs: 800, keptMs: 60_000 };
const BYTES_MAX = 640_000;
const STREAM = {
  streamId: '01980000-0000-7000-8000-000000000001',
  accountId: '7',
  subject: 'user:7',
  requestHash: 'h',
  form: 'f',
};

/** Commits that fail or wait. */
class TroubledReadStore extends ForwardingReadStore {
  isAway = false;
  until: Promise<void> = Promise.resolve();

  override async commit(commit: ReadStoreCommit): Promise<void> {
    await this.until;
    if (this.isAway) throw new Error('away');
    return super.commit(commit);
  }
}

/** The requirements of kept streams on every read store. */
export const keptStreamsContract = (
  name: string,
  createStore: () => Promise<ReadStoreUnderTest>,
): void => {
  describe(`a kept stream on ${name}`, () => {
    let folder: string;
    let underTest: ReadStoreUnderTest;
    let opened: ReadStore;
    let store: TroubledReadStore;
    let secrets: Secrets;
    let nowMs: number;
    let streams: KeptStreams;
    let keepers: StreamKeeper[];

    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'quipu-kept-streams-'));
      underTest = await createStore();
      opened = await underTest.open();
      store = new TroubledReadStore(opened);
      secrets = await openSecrets({ directory: folder });
      nowMs = 1_000_000;
      keepers = [];
      const { subjects } = secrets;
      const clock = { now: () => nowMs };
      const logger = pino({ level: 'silent' });
      streams = new KeptStreams({
        readStore: store,
        subjects,
        clock,
        logger,
        times: TIMES,
        bytesMax: BYTES_MAX,
      });
    });

    afterEach(async () => {
      await Promise.all(keepers.map((keeper) => keeper.end()));
      await opened.close();
      await underTest.remove();
      secrets.close();
      await rm(folder, { recursive: true });
    });

    const begin = async (streamId = STREAM.streamId): Promise<StreamKeeper> => {
      const keeper = await streams.begin({ ...STREAM, streamId });
      keepers.push(keeper);
      return keeper;
    };

    const follow = async (
      after: number,
      signal: AbortSignal = new AbortController().signal,
      streamId = STREAM.streamId,
    ): Promise<readonly string[]> => {
      const stream = await streams.find(streamId, STREAM.accountId);
      if (!stream) throw new Error('not found');
      return (await Array.fromAsync(stream.follow(after, signal))).flat();
    };

    it('gives the rest after any event, however its events came', async () => {
      let count = 0;
      const events = fc.array(fc.array(fc.string(), { maxLength: 4 }), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(events, fc.nat(24), async (batches, after) => {
          const streamId = `stream-${(count += 1)}`;
          const keeper = await begin(streamId);
          for (const batch of batches) await keeper.append(batch);
          await keeper.end();
          const all = batches.flat();
          expect(await follow(after, undefined, streamId)).toEqual(all.slice(after));
        }),
        { numRuns: 50 },
      );
    });

    it('is followed in pages of events as they come, by several at once', async () => {
      const keeper = await begin();
      const one = follow(0);
      const two = follow(1);
      for (const size of [70_000, 70_000, 1]) await keeper.append(['x'.repeat(size)]);
      await keeper.end();
      expect((await one).map(({ length }) => length)).toEqual([70_000, 70_000, 1]);
      expect((await two).map(({ length }) => length)).toEqual([70_000, 1]);
    });

    it('writes what waits without a further event', async () => {
      const keeper = await begin();
      await keeper.append(['waits']);
      const found = await streams.find(STREAM.streamId, STREAM.accountId);
      const pages = found?.follow(0, new AbortController().signal);
      expect((await pages?.next())?.value).toEqual(['waits']);
    });

    it('stays open while it is silent, and is lost once its process writes no more', async () => {
      const keeper = await begin();
      await keeper.append(['first']);
      const ended = follow(0).catch((error: unknown) => error);
      await new Promise((resolve) => setTimeout(resolve, 2 * TIMES.graceMs));
      expect(await Promise.race([ended, later('still read')])).toBe('still read');
      store.isAway = true;
      await keeper.append(['never written']);
      expect(await ended).toEqual(new KeptStreamError('lost'));
      expect(keeper.isKept).toBe(false);
    });

    it('ends without an error for a reader that leaves', async () => {
      await begin();
      const leaving = new AbortController();
      const read = follow(0, leaving.signal);
      leaving.abort();
      expect(await read).toEqual([]);
    });

    it('shows its process that it is read', async () => {
      const keeper = await begin();
      const before = await keeper.readers();
      await keeper.append(['one']);
      const found = await streams.find(STREAM.streamId, STREAM.accountId);
      const pages = found?.follow(0, AbortSignal.timeout(1_000));
      await pages?.next();
      await pages?.next();
      expect(await keeper.readers()).not.toBe(before);
    });

    it('learns that a reader has cancelled it', async () => {
      const keeper = await begin();
      const found = await streams.find(STREAM.streamId, STREAM.accountId);
      await keeper.append(['one']);
      expect(keeper.cancelled.aborted).toBe(false);
      await found?.cancel();
      await new Promise((resolve) => keeper.cancelled.addEventListener('abort', resolve));
    });

    it('belongs to its account', async () => {
      await begin();
      expect(await streams.find(STREAM.streamId, '8')).toBeUndefined();
      expect(await streams.find('another', STREAM.accountId)).toBeUndefined();
    });

    it('says that it was longer than a kept stream may be', async () => {
      const keeper = await begin();
      const part = 'x'.repeat(BYTES_MAX / 8);
      for (let n = 0; n < 8; n += 1) await keeper.append([part]);
      expect(keeper.isKept).toBe(true);
      await keeper.append(['y']);
      expect(keeper.isKept).toBe(false);
      const found = await streams.find(STREAM.streamId, STREAM.accountId);
      const pages = found?.follow(7, new AbortController().signal);
      expect((await pages?.next())?.value).toEqual([part]);
      await expect(pages?.next()).rejects.toEqual(new KeptStreamError('too-long'));
    });

    it('makes its writer wait for a slow store', async () => {
      const keeper = await begin();
      let release: () => void = () => undefined;
      store.until = new Promise((resolve) => (release = resolve));
      await keeper.append(['x'.repeat(200_000)]);
      const full = keeper.append(['x'.repeat(300_000)]);
      expect(await Promise.race([full.then(() => 'written'), later('waits')])).toBe('waits');
      release();
      await full;
      await keeper.end();
      expect(await follow(0)).toHaveLength(2);
    });

    it('does without a store that is away', async () => {
      store.isAway = true;
      const keeper = await begin();
      expect(keeper.isKept).toBe(false);
      await keeper.append(['one']);
      await keeper.end();
      expect(await streams.find(STREAM.streamId, STREAM.accountId)).toBeUndefined();
    });

    it('is sealed with the key of its subject', async () => {
      const keeper = await begin();
      await keeper.append(['a secret']);
      await keeper.end();
      const documents = await store.list(KEPT_STREAMS);
      expect(documents).not.toHaveLength(0);
      expect(JSON.stringify(documents.map(({ document }) => document))).not.toContain('secret');
      await secrets.subjects.erase(STREAM.subject);
      await expect(follow(0)).rejects.toEqual(new KeptStreamError('gone'));
    });

    it('is kept no longer once its subject is erased', async () => {
      const keeper = await begin();
      await secrets.subjects.erase(STREAM.subject);
      await keeper.append(['one']);
      await keeper.end();
      expect(keeper.isKept).toBe(false);
    });

    it('expires after its last write, and a sweep removes all of it', async () => {
      const keeper = await begin();
      const other = await begin('other');
      await keeper.append(['x'.repeat(70_000)]);
      const leaving = new AbortController();
      const read = follow(0, leaving.signal);
      await later(undefined);
      leaving.abort();
      await read;
      await (await streams.find(STREAM.streamId, STREAM.accountId))?.cancel();
      await keeper.end();
      nowMs += TIMES.keptMs - 1;
      expect(await streams.find(STREAM.streamId, STREAM.accountId)).toBeDefined();
      expect(await streams.sweep()).toBe(0);
      await other.append(['continued']);
      await other.end();
      nowMs += 1;
      expect(await streams.find(STREAM.streamId, STREAM.accountId)).toBeUndefined();
      expect(await streams.sweep()).toBe(1);
      const left = await store.list(KEPT_STREAMS);
      expect(left.map(({ key }) => key).filter((key) => !key.includes('other'))).toEqual([]);
      expect(await follow(0, undefined, 'other')).toEqual(['continued']);
    });
  });
};

/** After whatever is due by now has run. */
const later = <Value>(value: Value): Promise<Value> =>
  new Promise((resolve) => setTimeout(() => resolve(value), 50));
