import { describe, expect, it } from '@jest/globals';
import { at, put, type ReadStoreStage, remove, USAGE } from './read-store.fixture.js';

/** Documents, the guard by position, deletions, checkpoints and dropped collections. */
export const documentsContract = (stage: ReadStoreStage): void => {
  describe('documents', () => {
    it('gives back what was committed, with its position', async () => {
      const document = {
        text: 'é 漢字 😀 \u0000 "',
        list: [1, 2.5, null, true],
        deep: { er: {} },
      };
      await stage.store.commit({ writes: [put('a', 7n, document)], checkpoint: at(9n) });
      expect(await stage.store.get(USAGE, 'a')).toEqual({ key: 'a', document, position: 7n });
    });

    it('knows nothing of a key, a collection or a checkpoint that never was', async () => {
      expect(await stage.store.get('absent', 'a')).toBeUndefined();
      expect(await stage.store.list('absent')).toEqual([]);
      expect(await stage.store.count('absent')).toBe(0);
      expect(await stage.store.checkpoint('absent')).toBeUndefined();
      await stage.store.commit({ writes: [put('a', 1n)] });
      expect(await stage.store.get(USAGE, 'b')).toBeUndefined();
    });

    it('hands out copies', async () => {
      const document = { list: [1] };
      await stage.store.commit({ writes: [put('a', 1n, document)] });
      document.list.push(2);
      const first = await stage.store.get<typeof document>(USAGE, 'a');
      first?.document.list.push(3);
      expect((await stage.store.get(USAGE, 'a'))?.document).toEqual({ list: [1] });
    });

    it('keeps collections apart', async () => {
      await stage.store.commit({
        writes: [put('a', 1n), { ...put('a', 2n), collection: 'other' }],
      });
      expect((await stage.store.get(USAGE, 'a'))?.position).toBe(1n);
      expect((await stage.store.get('other', 'a'))?.position).toBe(2n);
      expect(await stage.store.count(USAGE)).toBe(1);
    });

    it('takes positions up to 2^63 - 1 and documents of some megabytes', async () => {
      const position = 2n ** 63n - 1n;
      const document = { text: 'é'.repeat(2_000_000) };
      await stage.store.commit({
        writes: [put('a', position, document)],
        checkpoint: at(position),
      });
      expect(await stage.store.get(USAGE, 'a')).toEqual({ key: 'a', document, position });
      expect(await stage.store.checkpoint(USAGE)).toBe(position);
    });

    it('commits a thousand documents at once', async () => {
      const writes = Array.from({ length: 1_000 }, (_, n) => put(`k${n}`, BigInt(n + 1)));
      await stage.store.commit({ writes, checkpoint: at(1_000n) });
      expect(await stage.store.count(USAGE)).toBe(1_000);
      const listed = await stage.store.list(USAGE);
      expect(listed.map(({ key }) => key)).toEqual(writes.map(({ key }) => key).sort());
      expect(await stage.store.get(USAGE, 'k999')).toMatchObject({ position: 1_000n });
    });
  });

  describe('the guard', () => {
    it('drops a write at or below the position of the document', async () => {
      await stage.store.commit({ writes: [put('a', 5n, { kept: true })] });
      await stage.store.commit({ writes: [put('a', 5n, { kept: false })] });
      await stage.store.commit({ writes: [put('a', 4n, { kept: false }), remove('a', 5n)] });
      expect(await stage.store.get(USAGE, 'a')).toEqual({
        key: 'a',
        document: { kept: true },
        position: 5n,
      });
    });

    it('lets a write above it through', async () => {
      await stage.store.commit({ writes: [put('a', 5n)] });
      await stage.store.commit({ writes: [put('a', 6n, { next: true })] });
      expect(await stage.store.get(USAGE, 'a')).toMatchObject({
        document: { next: true },
        position: 6n,
      });
    });

    it('applies the writes of one commit in order', async () => {
      await stage.store.commit({
        writes: [put('a', 1n), put('a', 2n, { second: true }), put('a', 1n)],
      });
      expect((await stage.store.get(USAGE, 'a'))?.document).toEqual({ second: true });
    });

    it('guards each document by itself', async () => {
      await stage.store.commit({ writes: [put('a', 5n)] });
      await stage.store.commit({ writes: [put('a', 3n), put('b', 3n)] });
      expect((await stage.store.get(USAGE, 'a'))?.position).toBe(5n);
      expect((await stage.store.get(USAGE, 'b'))?.position).toBe(3n);
    });

    it('changes nothing when a commit is repeated', async () => {
      const commit = {
        writes: [put('a', 1n), put('b', 2n), remove('a', 3n)],
        checkpoint: at(3n),
      };
      await stage.store.commit(commit);
      const before = await stage.store.list(USAGE);
      await stage.store.commit(commit);
      expect(await stage.store.list(USAGE)).toEqual(before);
      expect(await stage.store.checkpoint(USAGE)).toBe(3n);
    });

    it('changes nothing when an old commit comes late', async () => {
      const old = { writes: [put('a', 1n), put('b', 1n)], checkpoint: at(1n) };
      await stage.store.commit(old);
      await stage.store.commit({ writes: [remove('a', 2n), put('b', 2n)], checkpoint: at(2n) });
      await stage.store.commit(old);
      expect(await stage.keys()).toEqual(['b']);
      expect((await stage.store.get(USAGE, 'b'))?.position).toBe(2n);
      expect(await stage.store.checkpoint(USAGE)).toBe(2n);
    });
  });

  describe('deletion', () => {
    it('takes a document away from every kind of read', async () => {
      await stage.store.commit({ writes: [put('a', 1n), put('b', 1n)] });
      await stage.store.commit({ writes: [remove('a', 2n)] });
      expect(await stage.store.get(USAGE, 'a')).toBeUndefined();
      expect(await stage.keys()).toEqual(['b']);
      expect(await stage.keys({ limit: 1 })).toEqual(['b']);
      expect(await stage.keys({ offset: 1 })).toEqual([]);
      expect(await stage.store.count(USAGE)).toBe(1);
    });

    it('may come before the document it deletes', async () => {
      await stage.store.commit({ writes: [remove('a', 2n)] });
      await stage.store.commit({ writes: [put('a', 1n)] });
      expect(await stage.store.get(USAGE, 'a')).toBeUndefined();
    });

    it('lets a later document in', async () => {
      await stage.store.commit({ writes: [put('a', 1n), remove('a', 2n), put('a', 3n)] });
      expect((await stage.store.get(USAGE, 'a'))?.position).toBe(3n);
      expect(await stage.store.count(USAGE)).toBe(1);
    });
  });

  describe('checkpoints', () => {
    it('never move back, though their documents are guarded one by one', async () => {
      await stage.store.commit({ writes: [], checkpoint: at(5n) });
      await stage.store.commit({ writes: [put('a', 3n)], checkpoint: at(3n) });
      expect(await stage.store.checkpoint(USAGE)).toBe(5n);
      expect((await stage.store.get(USAGE, 'a'))?.position).toBe(3n);
    });

    it('are kept by name', async () => {
      await stage.store.commit({ writes: [], checkpoint: at(0n, 'saga/placement') });
      await stage.store.commit({ writes: [], checkpoint: at(8n, 'relay') });
      expect(await stage.store.checkpoint('saga/placement')).toBe(0n);
      expect(await stage.store.checkpoint('relay')).toBe(8n);
    });

    it('may be left out', async () => {
      await stage.store.commit({ writes: [put('a', 1n)] });
      expect(await stage.store.checkpoint(USAGE)).toBeUndefined();
    });
  });

  describe('dropping', () => {
    it('forgets the documents, the deletions and the checkpoint', async () => {
      await stage.store.commit({ writes: [put('a', 5n), remove('b', 5n)], checkpoint: at(5n) });
      await stage.store.drop(USAGE, USAGE);
      expect(await stage.store.list(USAGE)).toEqual([]);
      expect(await stage.store.count(USAGE)).toBe(0);
      expect(await stage.store.checkpoint(USAGE)).toBeUndefined();
      await stage.store.commit({ writes: [put('a', 1n), put('b', 1n)], checkpoint: at(1n) });
      expect(await stage.keys()).toEqual(['a', 'b']);
      expect(await stage.store.checkpoint(USAGE)).toBe(1n);
    });

    it('leaves other collections and checkpoints alone', async () => {
      const other = { ...put('a', 1n), collection: 'tenant-usage.v2' };
      await stage.store.commit({ writes: [put('a', 1n), other], checkpoint: at(1n, 'other') });
      await stage.store.drop(USAGE, USAGE);
      expect(await stage.store.count('tenant-usage.v2')).toBe(1);
      expect(await stage.store.checkpoint('other')).toBe(1n);
    });

    it('is allowed for a document that never was', async () => {
      await expect(stage.store.drop('absent', 'absent')).resolves.toBeUndefined();
    });
  });
};
