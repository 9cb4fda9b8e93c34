import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoServerError } from 'mongodb';
import { type MongoDatabase, openMongoDatabase } from '#platform/mongodb/mongo-database.js';
import { type DocumentRow } from '#platform/read-store/mongodb/document-row.js';
import { writeGuarded } from '#platform/read-store/mongodb/guarded-writes.js';
import { openMongoReadStore } from '#platform/read-store/mongodb/mongodb-read-store.js';
import { readStoreContract } from '#platform/read-store/read-store.contract.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { SuiteDatabases } from '../servers/mongodb/suite-databases.js';

let databases: SuiteDatabases;

beforeAll(async () => {
  databases = await SuiteDatabases.start();
});

afterAll(() => databases.stop());

readStoreContract('MongoDB', () => {
  const url = databases.newUrl();
  const opened: MongoDatabase[] = [];
  return Promise.resolve({
    // Uses separate connections, as another process does.
    open: async () => {
      const database = await openMongoDatabase({ url });
      opened.push(database);
      return openMongoReadStore({ database });
    },
    remove: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await databases.remove(url);
    },
  });
});

const deep = (levels: number): object => (levels === 0 ? {} : { a: [deep(levels - 1)] });

describe('the MongoDB read store', () => {
  let url: string;
  let database: MongoDatabase;
  let store: ReadStore;
  let nowMs = 1_800_000_000_000;

  beforeEach(async () => {
    url = databases.newUrl();
    database = await openMongoDatabase({ url });
    store = await openMongoReadStore({ database, clock: { now: () => nowMs } });
  });

  afterEach(async () => {
    await store.close();
    await database.close();
    await databases.remove(url);
  });

  const put = (key: string, position: bigint, document: object | null = {}) => ({
    collection: 'usage',
    key,
    document,
    position,
  });

  it.each([
    ['a prototype', JSON.parse('{"__proto__":{"a":1},"constructor":null}') as object],
    ['operators and paths', { $set: { 'a.b': 1 }, 'a.b': [{ $gt: '' }], '': 0, $ref: 'x', _id: 7 }],
    ['lists of lists', [[[], [[1]]], [{ list: [[null]] }]]],
    ['NUL and half a surrogate pair', { 'a\0b': '\ud83d', '\udc00': '\0' }],
    ['numbers', { big: 2 ** 53, small: 5e-324, most: Number.MAX_VALUE, third: 1 / 3 }],
    [
      'what looks like a type of BSON',
      { $oid: '0'.repeat(24), at: { $date: 0 }, _bsontype: 'Long' },
    ],
    ['two hundred levels', deep(200)],
  ])('gives back %s as it was', async (_, document) => {
    await store.commit({ writes: [put('a', 1n, document)] });
    const found = await store.get('usage', 'a');
    expect(JSON.stringify(found?.document)).toBe(JSON.stringify(document));
  });

  it('takes 16 MiB of JSON, however little it can be compressed', async () => {
    const overhead = JSON.stringify({ text: '' }).length;
    const text = incompressible(16 * 1024 * 1024 - overhead);
    await store.commit({ writes: [put('é'.repeat(256), 1n, { text })] });
    const found = await store.get<{ text: string }>('usage', 'é'.repeat(256));
    expect(found?.document.text === text).toBe(true);
  });

  it('takes names that MongoDB refuses or keeps for itself, and keeps them apart', async () => {
    const names = ['system.views', 'a.', 'a', 'a..b', 'a.b', 'a-b', 'checkpoints', 'installation'];
    const writes = names.map((collection) => ({ ...put('k', 1n, { collection }), collection }));
    await store.commit({ writes });
    for (const collection of names) {
      expect(await store.list(collection)).toMatchObject([{ document: { collection } }]);
    }
  });

  it('settles a race for a new key by the positions, in any order of inserts', async () => {
    for (let round = 0; round < 20; round += 1) {
      const key = `k${round}`;
      const positions = [1n, 2n, 3n, 4n, 5n, 6n];
      await Promise.all(
        positions.map((position) => store.commit({ writes: [put(key, position)] })),
      );
      expect((await store.get('usage', key))?.position).toBe(6n);
    }
  });

  it('updates only the rows that are there and older', async () => {
    const collection = database.db.collection<DocumentRow>('view_usage');
    const updated: number[] = [];
    const bulkWrite: typeof collection.bulkWrite = (operations, options) => {
      updated.push(operations.length);
      return collection.bulkWrite(operations, options);
    };
    const insertMany: typeof collection.insertMany = (rows, options) =>
      collection.insertMany(rows, options);
    const find = (): never => {
      throw new Error('a walk through the collection');
    };
    const findOne = (filter: object, options: object) => collection.findOne(filter, options);
    const counted = Object.create(collection) as typeof collection;
    Object.assign(counted, { bulkWrite, insertMany, find, findOne });
    const rowsAt = (position: bigint, count: number) =>
      Array.from({ length: count }, (_, index) => ({ _id: `k${index}`, position, json: '{}' }));
    await writeGuarded(counted, rowsAt(1n, 14));
    expect(updated).toEqual([]);
    await writeGuarded(counted, rowsAt(2n, 110));
    expect(updated).toEqual([10, 4]);
    const found = await store.list('usage');
    expect(found.map(({ position }) => position)).toEqual(Array.from({ length: 110 }, () => 2n));
    await writeGuarded(
      counted,
      [...rowsAt(2n, 110), { _id: 'k0', position: 3n, json: '{}' }].slice(1),
    );
    expect(updated).toEqual([10, 4, 1]);
  });

  describe('after a duplicate key error', () => {
    /** Fails upserts as a server does while another process inserts the same key. */
    const collectionWith = (rival: { readonly position: bigint }, duplicates: number) => {
      const collection = database.db.collection<DocumentRow>('view_usage');
      const bulkWrite: typeof collection.bulkWrite = async (operations, options) => {
        if (duplicates === 0) return collection.bulkWrite(operations, options);
        duplicates -= 1;
        const row = { ...rival, json: '{"rival":true}' };
        await collection.replaceOne({ _id: 'a' }, row, { upsert: true });
        throw new MongoServerError({ message: 'E11000', code: 11_000 });
      };
      const insertMany: typeof collection.insertMany = async (rows, options) => {
        const row = { ...rival, json: '{"rival":true}' };
        await collection.replaceOne({ _id: 'a' }, row, { upsert: true });
        return collection.insertMany(rows, options);
      };
      const faults = { bulkWrite, insertMany };
      return Object.assign(Object.create(collection) as typeof collection, faults);
    };
    const row = { _id: 'a', position: 2n, json: '{}' };

    it('tries again when the row that is there is older', async () => {
      await writeGuarded(collectionWith({ position: 1n }, 1), [row]);
      expect(await store.get('usage', 'a')).toEqual({ key: 'a', position: 2n, document: {} });
    });

    it.each([2n, 3n])('leaves one of position %s as it is', async (position) => {
      await writeGuarded(collectionWith({ position }, 1), [row]);
      const document = { rival: true };
      expect(await store.get('usage', 'a')).toEqual({ key: 'a', position, document });
    });

    it('gives up when that does not end', async () => {
      const writing = writeGuarded(collectionWith({ position: 1n }, Infinity), [row]);
      await expect(writing).rejects.toMatchObject({ code: 'store-unavailable' });
    });
  });

  it('completes a commit that was cut short when it is repeated', async () => {
    const writes = Array.from({ length: 120 }, (_, n) => put(`k${n}`, BigInt(n + 1)));
    // The writes of a process that died on the way.
    await store.commit({ writes: writes.filter((_, n) => n % 3 === 0) });
    await store.commit({ writes, checkpoint: { name: 'usage', position: 120n } });
    expect(await store.count('usage')).toBe(120);
  });

  it('clears deletions away after a minute, but not what came back', async () => {
    const rows = () => database.db.collection('view_usage').countDocuments({});
    await store.commit({ writes: [put('a', 2n, null), put('b', 2n, null), put('c', 1n)] });
    nowMs += 60_000;
    await store.commit({ writes: [put('b', 3n), put('d', 3n, null)] });
    expect(await rows()).toBe(4);
    nowMs += 60_000;
    await store.commit({ writes: [put('e', 3n, null)] });
    await store.close();
    // a is gone; d is remembered for another moment, and so is e.
    expect(await rows()).toBe(4);
    store = await openMongoReadStore({ database, clock: { now: () => nowMs } });
    await store.commit({ writes: [put('a', 1n), put('d', 1n)] });
    expect((await store.list('usage')).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });
});

/** Printable ASCII that JSON does not escape, drawn by a fixed generator. */
const incompressible = (length: number): string => {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = 93 + ((state >>> 24) % 33);
    if (bytes[at] === 127) bytes[at] = 35;
  }
  return bytes.toString('latin1').replaceAll('\\', '[');
};
