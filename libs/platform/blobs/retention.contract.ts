import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { blobName, condemnedName, stagedName } from './blob.names.js';
import { BLOB_TIMES } from './blob.times.js';
import { ADA, BOB, type BlobsStage, bytesOf, failed, sourceOf } from './blobs.fixture.js';
import { BLOB_KEPT_MS, type BlobRef } from './blobs.port.js';

const CONTENT = bytesOf(1_000);

/** Which blobs a sweep keeps. */
export const retentionContract = (stage: BlobsStage) => {
  const isThere = async ({ address }: BlobRef): Promise<boolean> =>
    (await stage.objects.stat(blobName(address))) !== undefined;

  describe('a sweep', () => {
    it('keeps what was put within the time, and removes it afterwards', async () => {
      const stored = await stage.put(CONTENT, ADA);
      const { length: bytesFreed } = await stage.objectOf(stored);
      stage.stopClock(Date.now() + BLOB_KEPT_MS - 60_000);
      expect(await stage.blobs.sweep()).toEqual({ blobsKept: 1, blobsRemoved: 0, bytesFreed: 0 });
      expect((await stage.read(stored)).equals(CONTENT)).toBe(true);
      stage.stopClock(Date.now() + BLOB_KEPT_MS + 60_000);
      expect(await stage.blobs.sweep()).toEqual({ blobsKept: 0, blobsRemoved: 1, bytesFreed });
      await expect(stage.read(stored)).rejects.toEqual(failed('blob-not-found'));
      expect(await stage.names('condemned/')).toEqual([]);
    });

    it('keeps what a holder retains, until the last one releases it', async () => {
      const [kept, other] = [await stage.put(CONTENT, ADA), await stage.put(CONTENT, BOB)];
      await stage.blobs.retain(kept, 'file:file-1');
      await stage.blobs.retain(kept, 'file:file-1');
      await stage.blobs.retain(kept, 'batch:batch_2');
      stage.stopClock(Date.now() + BLOB_KEPT_MS + 60_000);
      expect(await stage.blobs.sweep()).toMatchObject({ blobsKept: 1, blobsRemoved: 1 });
      expect(await isThere(other)).toBe(false);
      await stage.blobs.release(kept, 'file:file-1');
      await stage.blobs.release(kept, 'file:file-1');
      expect(await stage.blobs.sweep()).toMatchObject({ blobsKept: 1, blobsRemoved: 0 });
      expect((await stage.read(kept)).equals(CONTENT)).toBe(true);
      await stage.blobs.release(kept, 'batch:batch_2');
      expect(await stage.blobs.sweep()).toMatchObject({ blobsKept: 0, blobsRemoved: 1 });
    });

    it('counts the time of equal content from its last put', async () => {
      const modifiedAt = async (ref: BlobRef): Promise<number> =>
        (await stage.objects.stat(blobName(ref.address)))?.modifiedAtMs ?? NaN;
      const first = await modifiedAt(await stage.put(CONTENT));
      // Some storages count whole seconds.
      await sleep(1_100);
      const stored = await stage.put(CONTENT);
      const last = await modifiedAt(stored);
      expect(last).toBeGreaterThan(first);
      stage.stopClock(last + BLOB_KEPT_MS - 1);
      expect(await stage.blobs.sweep()).toMatchObject({ blobsKept: 1 });
      stage.stopClock(last + BLOB_KEPT_MS);
      expect(await stage.blobs.sweep()).toMatchObject({ blobsRemoved: 1 });
    });

    it('removes what a killed put and a killed sweep left, when they cannot be alive', async () => {
      await stage.objects.write(stagedName('cut-short'), sourceOf(CONTENT));
      await stage.objects.mark(condemnedName('a'.repeat(64), 'killed'));
      await stage.blobs.sweep();
      expect(await stage.names('staging/')).toHaveLength(1);
      stage.stopClock(Date.now() + BLOB_KEPT_MS + 60_000);
      expect(await stage.blobs.sweep()).toMatchObject({ bytesFreed: CONTENT.length });
      expect(await stage.names('staging/')).toEqual([]);
      expect(await stage.names('condemned/')).toEqual([]);
    });

    it('removes no blob when it was held up after it condemned it', async () => {
      const stored = await stage.put(CONTENT);
      stage.stopClock(Date.now() + BLOB_KEPT_MS + 60_000);
      const slow = await stage.open({ ...BLOB_TIMES, condemnedMs: -1 });
      expect(await slow.sweep()).toMatchObject({ blobsKept: 1, blobsRemoved: 0 });
      expect(await isThere(stored)).toBe(true);
    });

    it('that was killed does not stop a later put', async () => {
      const stored = await stage.put(CONTENT);
      await stage.objects.mark(condemnedName(stored.address, 'killed'));
      const blobs = await stage.open({ ...BLOB_TIMES, abandonedMs: 50 });
      expect(await blobs.put(sourceOf(CONTENT), { owner: null })).toEqual(stored);
      expect(await stage.names('condemned/')).toEqual([]);
    });

    it('never removes a blob that was retained meanwhile', async () => {
      const times = { ...BLOB_TIMES, keptMs: -60_000 };
      const [one, two] = [await stage.open(times), await stage.open(times)];
      const retained: BlobRef[] = [];
      const putAndRetain = async (n: number): Promise<void> => {
        const ref = await one.put(sourceOf(bytesOf(100, n)), { owner: null });
        try {
          await one.retain(ref, `file:${n}`);
          retained.push(ref);
        } catch (error) {
          // A sweep came between the two, which keeps nothing here for any time.
          expect(error).toEqual(failed('blob-not-found'));
        }
      };
      const puts = Array.from({ length: 60 }, (_, n) => n);
      const putting = Promise.all(puts.map((n) => putAndRetain(n % 30)));
      await Promise.all([putting, one.sweep(), two.sweep()]);
      await Promise.all([one.sweep(), two.sweep()]);
      for (const ref of retained) expect(await isThere(ref)).toBe(true);
      expect(await stage.names('condemned/')).toEqual([]);
    });
  });

  describe('a reference', () => {
    it('is not made to a blob that is not there', async () => {
      const ref = { address: 'ab'.repeat(32), owner: null };
      await expect(stage.blobs.retain(ref, 'file:1')).rejects.toEqual(failed('blob-not-found'));
      expect(await stage.names('refs/ab/')).toEqual([]);
    });

    it('that a saga is to make to a blob that is gone is reported, and stops no saga', async () => {
      const address = 'ab'.repeat(32);
      await stage.blobs.retainOrReport({ address, owner: null }, 'file:1');
      expect(await stage.names('refs/ab/')).toEqual([]);
      const [line = ''] = stage.logged.splice(0);
      expect(JSON.parse(line)).toMatchObject({ level: 50, address, holder: 'file:1' });
      const stored = await stage.put(CONTENT);
      await stage.blobs.retainOrReport(stored, 'file:1');
      expect(stage.logged).toEqual([]);
      expect(await stage.names(`refs/${stored.address.slice(0, 2)}/`)).toHaveLength(1);
    });

    it.each(['', '1', 'File:1', 'file.1', 'file/1', `f${'x'.repeat(128)}`])(
      'has no holder %j',
      async (holder) => {
        const stored = await stage.put(CONTENT);
        const invalid = failed('invalid-holder');
        await expect(stage.blobs.retain(stored, holder)).rejects.toEqual(invalid);
        await expect(stage.blobs.release(stored, holder)).rejects.toEqual(invalid);
      },
    );

    it('has a holder of up to 128 characters', async () => {
      const stored = await stage.put(CONTENT);
      await stage.blobs.retain(stored, `f${'x'.repeat(127)}`);
      stage.stopClock(Date.now() + BLOB_KEPT_MS + 60_000);
      expect(await stage.blobs.sweep()).toMatchObject({ blobsKept: 1 });
    });
  });
};
