import { describe, expect, it } from '@jest/globals';
import { type ReadStoreErrorCode } from './read-store.errors.js';
import { at, put, type ReadStoreStage, rejected, USAGE } from './read-store.fixture.js';
import { type DocumentWrite, type ListOptions } from './read-store.port.js';

/** The error of every invalid argument. */
export const errorsContract = (stage: ReadStoreStage): void => {
  describe('errors', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;

    it.each<[string, ReadStoreErrorCode, DocumentWrite]>([
      ['an empty key', 'invalid-key', put('', 1n)],
      ['a key of 513 bytes', 'invalid-key', put('é'.repeat(256) + 'a', 1n)],
      ['a key with half a surrogate pair', 'invalid-key', put('\ud83d', 1n)],
      ['a key with NUL', 'invalid-key', put('a\0b', 1n)],
      ['a collection in capitals', 'invalid-collection', { ...put('a', 1n), collection: 'Us' }],
      ['no collection', 'invalid-collection', { ...put('a', 1n), collection: '' }],
      ['a long name', 'invalid-collection', { ...put('a', 1n), collection: 'c'.repeat(65) }],
      ['a position below zero', 'invalid-position', put('a', -1n)],
      ['a position past 2^63 - 1', 'invalid-position', put('a', 2n ** 63n)],
      ['a bigint in a document', 'invalid-document', put('a', 1n, { amount: 1n })],
      ['a document in a ring', 'invalid-document', put('a', 1n, cyclic)],
      ['a document that is a string', 'invalid-document', put('a', 1n, new Date(0))],
      ['16 MiB and more', 'document-too-large', put('a', 1n, { t: 'é'.repeat(2 ** 23) })],
    ])('say no to %s, and nothing of the commit is saved', async (_, code, write) => {
      const commit = { writes: [put('good', 1n), write], checkpoint: at(1n) };
      await expect(stage.store.commit(commit)).rejects.toEqual(rejected(code));
      expect(await stage.store.count(USAGE)).toBe(0);
      expect(await stage.store.checkpoint(USAGE)).toBeUndefined();
    });

    it('take the longest key and the longest name', async () => {
      const longest = { ...put('é'.repeat(256), 1n), collection: 'c'.repeat(64) };
      await stage.store.commit({ writes: [longest], checkpoint: at(1n, 'n'.repeat(512)) });
      expect(await stage.store.get(longest.collection, longest.key)).toBeDefined();
    });

    it('say no to a bad checkpoint', async () => {
      await expect(stage.store.commit({ writes: [], checkpoint: at(1n, '') })).rejects.toEqual(
        rejected('invalid-key'),
      );
      await expect(stage.store.commit({ writes: [], checkpoint: at(-1n) })).rejects.toEqual(
        rejected('invalid-position'),
      );
      await expect(stage.store.checkpoint('')).rejects.toEqual(rejected('invalid-key'));
    });

    it.each<[ListOptions]>([
      [{ limit: 0 }],
      [{ limit: 10_001 }],
      [{ limit: 1.5 }],
      [{ limit: Number.NaN }],
      [{ offset: -1 }],
      [{ offset: 0.5 }],
      [{ prefix: '\ud83d' }],
      [{ from: '\udc00' }],
      [{ before: 'a\0' }],
    ])('say no to a list with %j', async (options) => {
      await expect(stage.store.list(USAGE, options)).rejects.toEqual(rejected('invalid-options'));
    });

    it('say no on every way in', async () => {
      await expect(stage.store.get('No', 'a')).rejects.toEqual(rejected('invalid-collection'));
      await expect(stage.store.get(USAGE, '')).rejects.toEqual(rejected('invalid-key'));
      await expect(stage.store.list('No')).rejects.toEqual(rejected('invalid-collection'));
      await expect(stage.store.count('No')).rejects.toEqual(rejected('invalid-collection'));
      await expect(stage.store.count(USAGE, '\ud83d')).rejects.toEqual(rejected('invalid-options'));
      await expect(stage.store.drop('No', 'a')).rejects.toEqual(rejected('invalid-collection'));
      await expect(stage.store.drop(USAGE, '')).rejects.toEqual(rejected('invalid-key'));
    });
  });
};
