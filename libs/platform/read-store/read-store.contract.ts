import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ReadStoreErrorCode } from './read-store.errors.js';
import { type DocumentWrite, type ListOptions, type ReadStore } from './read-store.port.js';
import { agreesWithModel } from './read-store-model.contract.js';

/** One store, reached through as many handles as a test asks for. */
export interface ReadStoreUnderTest {
  /** Another handle on the same documents, as another process would have. */
  open(): Promise<ReadStore>;
  /** Takes the documents away; the handles are closed by then. */
  remove(): Promise<void>;
}

const USAGE = 'tenant-usage.v1';

const put = (key: string, position: bigint, document: object = { at: position.toString() }) => ({
  collection: USAGE,
  key,
  document,
  position,
});

const remove = (key: string, position: bigint): DocumentWrite => ({
  collection: USAGE,
  key,
  document: null,
  position,
});

const at = (position: bigint, name = USAGE) => ({ name, position });

/**
 * What every adapter promises. `create` makes an empty store; a second adapter supplies nothing
 * else.
 */
export const readStoreContract = (adapter: string, create: () => Promise<ReadStoreUnderTest>) =>
  describe(`ReadStore contract: ${adapter}`, () => {
    let underTest: ReadStoreUnderTest;
    let store: ReadStore;
    let handles: ReadStore[];

    const open = async (): Promise<ReadStore> => {
      const handle = await underTest.open();
      handles.push(handle);
      return handle;
    };

    beforeEach(async () => {
      handles = [];
      underTest = await create();
      store = await open();
    });

    afterEach(async () => {
      await Promise.all(handles.map((handle) => handle.close()));
      await underTest.remove();
    });

    const keys = async (options?: ListOptions): Promise<string[]> =>
      (await store.list(USAGE, options)).map(({ key }) => key);

    const rejected = (code: ReadStoreErrorCode) =>
      expect.objectContaining({ name: 'ReadStoreError', code });

    describe('documents', () => {
      it('gives back what was committed, with its position', async () => {
        const document = {
          text: 'é 漢字 😀 \u0000 "',
          list: [1, 2.5, null, true],
          deep: { er: {} },
        };
        await store.commit({ writes: [put('a', 7n, document)], checkpoint: at(9n) });
        expect(await store.get(USAGE, 'a')).toEqual({ key: 'a', document, position: 7n });
      });

      it('knows nothing of a key, a collection or a checkpoint that never was', async () => {
        expect(await store.get('absent', 'a')).toBeUndefined();
        expect(await store.list('absent')).toEqual([]);
        expect(await store.count('absent')).toBe(0);
        expect(await store.checkpoint('absent')).toBeUndefined();
        await store.commit({ writes: [put('a', 1n)] });
        expect(await store.get(USAGE, 'b')).toBeUndefined();
      });

      it('hands out copies', async () => {
        const document = { list: [1] };
        await store.commit({ writes: [put('a', 1n, document)] });
        document.list.push(2);
        const first = await store.get<typeof document>(USAGE, 'a');
        first?.document.list.push(3);
        expect((await store.get(USAGE, 'a'))?.document).toEqual({ list: [1] });
      });

      it('keeps collections apart', async () => {
        await store.commit({ writes: [put('a', 1n), { ...put('a', 2n), collection: 'other' }] });
        expect((await store.get(USAGE, 'a'))?.position).toBe(1n);
        expect((await store.get('other', 'a'))?.position).toBe(2n);
        expect(await store.count(USAGE)).toBe(1);
      });

      it('takes positions up to 2^63 - 1 and documents of some megabytes', async () => {
        const position = 2n ** 63n - 1n;
        const document = { text: 'é'.repeat(2_000_000) };
        await store.commit({ writes: [put('a', position, document)], checkpoint: at(position) });
        expect(await store.get(USAGE, 'a')).toEqual({ key: 'a', document, position });
        expect(await store.checkpoint(USAGE)).toBe(position);
      });

      it('commits a thousand documents at once', async () => {
        const writes = Array.from({ length: 1_000 }, (_, n) => put(`k${n}`, BigInt(n + 1)));
        await store.commit({ writes, checkpoint: at(1_000n) });
        expect(await store.count(USAGE)).toBe(1_000);
        const listed = await store.list(USAGE);
        expect(listed.map(({ key }) => key)).toEqual(writes.map(({ key }) => key).sort());
        expect(await store.get(USAGE, 'k999')).toMatchObject({ position: 1_000n });
      });
    });

    describe('the guard', () => {
      it('drops a write at or below the position of the document', async () => {
        await store.commit({ writes: [put('a', 5n, { kept: true })] });
        await store.commit({ writes: [put('a', 5n, { kept: false })] });
        await store.commit({ writes: [put('a', 4n, { kept: false }), remove('a', 5n)] });
        expect(await store.get(USAGE, 'a')).toEqual({
          key: 'a',
          document: { kept: true },
          position: 5n,
        });
      });

      it('lets a write above it through', async () => {
        await store.commit({ writes: [put('a', 5n)] });
        await store.commit({ writes: [put('a', 6n, { next: true })] });
        expect(await store.get(USAGE, 'a')).toMatchObject({
          document: { next: true },
          position: 6n,
        });
      });

      it('applies the writes of one commit in order', async () => {
        await store.commit({
          writes: [put('a', 1n), put('a', 2n, { second: true }), put('a', 1n)],
        });
        expect((await store.get(USAGE, 'a'))?.document).toEqual({ second: true });
      });

      it('guards each document by itself', async () => {
        await store.commit({ writes: [put('a', 5n)] });
        await store.commit({ writes: [put('a', 3n), put('b', 3n)] });
        expect((await store.get(USAGE, 'a'))?.position).toBe(5n);
        expect((await store.get(USAGE, 'b'))?.position).toBe(3n);
      });

      it('changes nothing when a commit is repeated', async () => {
        const commit = {
          writes: [put('a', 1n), put('b', 2n), remove('a', 3n)],
          checkpoint: at(3n),
        };
        await store.commit(commit);
        const before = await store.list(USAGE);
        await store.commit(commit);
        expect(await store.list(USAGE)).toEqual(before);
        expect(await store.checkpoint(USAGE)).toBe(3n);
      });

      it('changes nothing when an old commit comes late', async () => {
        const old = { writes: [put('a', 1n), put('b', 1n)], checkpoint: at(1n) };
        await store.commit(old);
        await store.commit({ writes: [remove('a', 2n), put('b', 2n)], checkpoint: at(2n) });
        await store.commit(old);
        expect(await keys()).toEqual(['b']);
        expect((await store.get(USAGE, 'b'))?.position).toBe(2n);
        expect(await store.checkpoint(USAGE)).toBe(2n);
      });
    });

    describe('deletion', () => {
      it('takes a document away from every kind of read', async () => {
        await store.commit({ writes: [put('a', 1n), put('b', 1n)] });
        await store.commit({ writes: [remove('a', 2n)] });
        expect(await store.get(USAGE, 'a')).toBeUndefined();
        expect(await keys()).toEqual(['b']);
        expect(await keys({ limit: 1 })).toEqual(['b']);
        expect(await keys({ offset: 1 })).toEqual([]);
        expect(await store.count(USAGE)).toBe(1);
      });

      it('may come before the document it deletes', async () => {
        await store.commit({ writes: [remove('a', 2n)] });
        await store.commit({ writes: [put('a', 1n)] });
        expect(await store.get(USAGE, 'a')).toBeUndefined();
      });

      it('lets a later document in', async () => {
        await store.commit({ writes: [put('a', 1n), remove('a', 2n), put('a', 3n)] });
        expect((await store.get(USAGE, 'a'))?.position).toBe(3n);
        expect(await store.count(USAGE)).toBe(1);
      });
    });

    describe('checkpoints', () => {
      it('never move back, though their documents are guarded one by one', async () => {
        await store.commit({ writes: [], checkpoint: at(5n) });
        await store.commit({ writes: [put('a', 3n)], checkpoint: at(3n) });
        expect(await store.checkpoint(USAGE)).toBe(5n);
        expect((await store.get(USAGE, 'a'))?.position).toBe(3n);
      });

      it('are kept by name', async () => {
        await store.commit({ writes: [], checkpoint: at(0n, 'saga/placement') });
        await store.commit({ writes: [], checkpoint: at(8n, 'relay') });
        expect(await store.checkpoint('saga/placement')).toBe(0n);
        expect(await store.checkpoint('relay')).toBe(8n);
      });

      it('may be left out', async () => {
        await store.commit({ writes: [put('a', 1n)] });
        expect(await store.checkpoint(USAGE)).toBeUndefined();
      });
    });

    describe('fences', () => {
      const under = (fence: bigint, position: bigint, name = USAGE) => ({ name, position, fence });

      it('let the same lease and a later one write', async () => {
        await store.commit({ writes: [put('a', 1n)], checkpoint: under(3n, 1n) });
        await store.commit({ writes: [put('a', 2n)], checkpoint: under(3n, 2n) });
        await store.commit({ writes: [put('a', 3n)], checkpoint: under(4n, 3n) });
        expect((await store.get(USAGE, 'a'))?.position).toBe(3n);
        expect(await store.checkpoint(USAGE)).toBe(3n);
      });

      it('shut an earlier lease out before anything is written, on every handle', async () => {
        await store.commit({ writes: [put('a', 1n)], checkpoint: under(4n, 1n) });
        const late = { writes: [put('a', 2n), put('b', 2n)], checkpoint: under(3n, 2n) };
        const other = await open();
        await expect(store.commit(late)).rejects.toEqual(rejected('fenced-off'));
        await expect(other.commit(late)).rejects.toEqual(rejected('fenced-off'));
        expect(await keys()).toEqual(['a']);
        expect((await store.get(USAGE, 'a'))?.position).toBe(1n);
        expect(await store.checkpoint(USAGE)).toBe(1n);
      });

      it('are raised by a commit without documents that does not move the place', async () => {
        await store.commit({ writes: [], checkpoint: under(1n, 5n) });
        await store.commit({ writes: [], checkpoint: under(2n, 0n) });
        expect(await store.checkpoint(USAGE)).toBe(5n);
        await expect(store.commit({ writes: [], checkpoint: under(1n, 6n) })).rejects.toEqual(
          rejected('fenced-off'),
        );
      });

      it('do not concern a commit without a token, which leaves them as they are', async () => {
        await store.commit({ writes: [], checkpoint: under(4n, 1n) });
        await store.commit({ writes: [put('a', 2n)], checkpoint: at(2n) });
        await store.commit({ writes: [put('b', 2n)] });
        expect(await keys()).toEqual(['a', 'b']);
        await expect(store.commit({ writes: [], checkpoint: under(3n, 3n) })).rejects.toEqual(
          rejected('fenced-off'),
        );
      });

      it('are kept by name, begin at nothing and go with their checkpoint', async () => {
        await store.commit({ writes: [], checkpoint: at(1n) });
        await store.commit({ writes: [], checkpoint: under(0n, 1n) });
        await store.commit({ writes: [], checkpoint: under(9n, 1n) });
        await store.commit({ writes: [], checkpoint: under(2n, 1n, 'relay') });
        await store.drop(USAGE, USAGE);
        await store.commit({ writes: [put('a', 1n)], checkpoint: under(1n, 1n) });
        expect(await keys()).toEqual(['a']);
      });

      it('outlast the handle, and go to 2^63 - 1', async () => {
        await store.commit({ writes: [], checkpoint: under(2n ** 63n - 1n, 1n) });
        await store.close();
        store = await open();
        await expect(
          store.commit({ writes: [], checkpoint: under(2n ** 63n - 2n, 2n) }),
        ).rejects.toEqual(rejected('fenced-off'));
      });

      it.each([-1n, 2n ** 63n])('reject the token %s', async (fence) => {
        const commit = { writes: [put('a', 1n)], checkpoint: under(fence, 1n) };
        await expect(store.commit(commit)).rejects.toEqual(rejected('invalid-fence'));
        expect(await store.count(USAGE)).toBe(0);
      });
    });

    describe('lists', () => {
      const inByteOrder = ['A', 'a', 'a-1', 'a-2', 'a-\uffff', 'a-😀', 'b', 'é', '\ud7ff', '\ue000']
        .concat('\uffff', '😀', '\u{10ffff}', '\u{10ffff}\u{10ffff}')
        .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

      beforeEach(async () => {
        const writes = inByteOrder.toReversed().map((key, n) => put(key, BigInt(n + 1)));
        await store.commit({ writes });
      });

      it('are in the order of bytes, both ways', async () => {
        expect(await keys()).toEqual(inByteOrder);
        expect(await keys({ direction: 'forwards' })).toEqual(inByteOrder);
        expect(await keys({ direction: 'backwards' })).toEqual(inByteOrder.toReversed());
      });

      it.each([
        ['a-', ['a-1', 'a-2', 'a-\uffff', 'a-😀']],
        ['a-\uffff', ['a-\uffff']],
        ['\ud7ff', ['\ud7ff']],
        ['\uffff', ['\uffff']],
        ['\u{10ffff}', ['\u{10ffff}', '\u{10ffff}\u{10ffff}']],
        ['%', []],
        ['', inByteOrder],
      ])('and counts take a prefix literally: %j', async (prefix, expected) => {
        expect(await keys({ prefix })).toEqual(expected);
        expect(await store.count(USAGE, prefix)).toBe(expected.length);
      });

      it('include `from` and exclude `before`, both ways', async () => {
        const range = { from: 'a-1', before: 'a-😀' };
        expect(await keys(range)).toEqual(['a-1', 'a-2', 'a-\uffff']);
        expect(await keys({ ...range, direction: 'backwards' })).toEqual([
          'a-\uffff',
          'a-2',
          'a-1',
        ]);
        expect(await keys({ from: 'a-15', before: 'a-15' })).toEqual([]);
        expect(await keys({ before: '' })).toEqual([]);
        expect(await keys({ from: '' })).toEqual(inByteOrder);
      });

      it('join prefix and range by "and"', async () => {
        expect(await keys({ prefix: 'a-', from: 'a-2' })).toEqual(['a-2', 'a-\uffff', 'a-😀']);
        expect(await keys({ prefix: 'a-', before: 'a-2' })).toEqual(['a-1']);
        expect(await keys({ prefix: 'a-', from: 'A', before: 'b' })).toEqual(
          await keys({ prefix: 'a-' }),
        );
        expect(await keys({ prefix: 'a-', from: 'b' })).toEqual([]);
      });

      it('skip and limit in the direction asked', async () => {
        expect(await keys({ prefix: 'a-', limit: 2 })).toEqual(['a-1', 'a-2']);
        expect(await keys({ prefix: 'a-', offset: 1, limit: 2 })).toEqual(['a-2', 'a-\uffff']);
        expect(await keys({ prefix: 'a-', offset: 1, limit: 2, direction: 'backwards' })).toEqual([
          'a-\uffff',
          'a-2',
        ]);
        expect(await keys({ offset: inByteOrder.length })).toEqual([]);
      });

      it('end at 1,000 by default, and take up to 10,000', async () => {
        const writes = Array.from({ length: 1_200 }, (_, n) => put(`n${n}`, BigInt(n + 1)));
        await store.commit({ writes });
        expect(await keys({ prefix: 'n' })).toHaveLength(1_000);
        expect(await keys({ prefix: 'n', limit: 10_000 })).toHaveLength(1_200);
      });
    });

    describe('dropping', () => {
      it('forgets the documents, the deletions and the checkpoint', async () => {
        await store.commit({ writes: [put('a', 5n), remove('b', 5n)], checkpoint: at(5n) });
        await store.drop(USAGE, USAGE);
        expect(await store.list(USAGE)).toEqual([]);
        expect(await store.count(USAGE)).toBe(0);
        expect(await store.checkpoint(USAGE)).toBeUndefined();
        await store.commit({ writes: [put('a', 1n), put('b', 1n)], checkpoint: at(1n) });
        expect(await keys()).toEqual(['a', 'b']);
        expect(await store.checkpoint(USAGE)).toBe(1n);
      });

      it('leaves other collections and checkpoints alone', async () => {
        const other = { ...put('a', 1n), collection: 'tenant-usage.v2' };
        await store.commit({ writes: [put('a', 1n), other], checkpoint: at(1n, 'other') });
        await store.drop(USAGE, USAGE);
        expect(await store.count('tenant-usage.v2')).toBe(1);
        expect(await store.checkpoint('other')).toBe(1n);
      });

      it('is allowed for what never was', async () => {
        await expect(store.drop('absent', 'absent')).resolves.toBeUndefined();
      });
    });

    describe('handles', () => {
      it('find everything after a close and another open', async () => {
        await store.commit({ writes: [put('a', 1n), remove('b', 2n)], checkpoint: at(2n) });
        await store.close();
        store = await open();
        expect(await store.get(USAGE, 'a')).toMatchObject({ position: 1n });
        expect(await store.checkpoint(USAGE)).toBe(2n);
        await store.commit({ writes: [put('b', 1n)] });
        expect(await keys()).toEqual(['a']);
      });

      it('see what another has committed or dropped as soon as that is resolved', async () => {
        const other = await open();
        for (let position = 1n; position <= 20n; position += 1n) {
          await store.commit({ writes: [put('a', position)], checkpoint: at(position) });
          expect(await other.get(USAGE, 'a')).toMatchObject({ position });
          expect(await other.checkpoint(USAGE)).toBe(position);
        }
        await other.drop(USAGE, USAGE);
        expect(await store.get(USAGE, 'a')).toBeUndefined();
        await store.commit({ writes: [put('a', 3n)] });
        expect(await other.get(USAGE, 'a')).toMatchObject({ position: 3n });
      });

      it('may commit at the same time: the highest position stays', async () => {
        const other = await open();
        const positions = Array.from({ length: 100 }, (_, n) => BigInt(n + 1));
        await Promise.all(
          positions.map((position) =>
            (position % 2n ? store : other).commit({
              writes: [put('a', position), put(`k${position}`, position)],
              checkpoint: at(position),
            }),
          ),
        );
        expect(await store.get(USAGE, 'a')).toMatchObject({ position: 100n });
        expect(await other.checkpoint(USAGE)).toBe(100n);
        expect(await other.count(USAGE, 'k')).toBe(100);
      });

      it('reject everything once closed, and may be closed twice', async () => {
        await store.close();
        await expect(store.close()).resolves.toBeUndefined();
        const unavailable = rejected('store-unavailable');
        await expect(store.get(USAGE, 'a')).rejects.toEqual(unavailable);
        await expect(store.list(USAGE)).rejects.toEqual(unavailable);
        await expect(store.count(USAGE)).rejects.toEqual(unavailable);
        await expect(store.checkpoint(USAGE)).rejects.toEqual(unavailable);
        await expect(store.drop(USAGE, USAGE)).rejects.toEqual(unavailable);
        await expect(store.commit({ writes: [put('a', 1n)] })).rejects.toEqual(unavailable);
      });
    });

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
        await expect(store.commit(commit)).rejects.toEqual(rejected(code));
        expect(await store.count(USAGE)).toBe(0);
        expect(await store.checkpoint(USAGE)).toBeUndefined();
      });

      it('take the longest key and the longest name', async () => {
        const longest = { ...put('é'.repeat(256), 1n), collection: 'c'.repeat(64) };
        await store.commit({ writes: [longest], checkpoint: at(1n, 'n'.repeat(512)) });
        expect(await store.get(longest.collection, longest.key)).toBeDefined();
      });

      it('say no to a bad checkpoint', async () => {
        await expect(store.commit({ writes: [], checkpoint: at(1n, '') })).rejects.toEqual(
          rejected('invalid-key'),
        );
        await expect(store.commit({ writes: [], checkpoint: at(-1n) })).rejects.toEqual(
          rejected('invalid-position'),
        );
        await expect(store.checkpoint('')).rejects.toEqual(rejected('invalid-key'));
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
        await expect(store.list(USAGE, options)).rejects.toEqual(rejected('invalid-options'));
      });

      it('say no on every way in', async () => {
        await expect(store.get('No', 'a')).rejects.toEqual(rejected('invalid-collection'));
        await expect(store.get(USAGE, '')).rejects.toEqual(rejected('invalid-key'));
        await expect(store.list('No')).rejects.toEqual(rejected('invalid-collection'));
        await expect(store.count('No')).rejects.toEqual(rejected('invalid-collection'));
        await expect(store.count(USAGE, '\ud83d')).rejects.toEqual(rejected('invalid-options'));
        await expect(store.drop('No', 'a')).rejects.toEqual(rejected('invalid-collection'));
        await expect(store.drop(USAGE, '')).rejects.toEqual(rejected('invalid-key'));
      });
    });

    it('agrees with a map, whatever is done to it', () => agreesWithModel(store));
  });
