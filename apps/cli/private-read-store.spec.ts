import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readStoreContract } from '#platform/read-store/read-store.contract.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { PrivateLayer, PrivateReadStore } from './private-read-store.js';

const newFolder = (): Promise<string> => mkdtemp(path.join(os.tmpdir(), 'private-read-store-'));

readStoreContract('private, on an empty store', async () => {
  const folder = await newFolder();
  const beneath = await openSqliteReadStore({ file: path.join(folder, 'views.db') });
  const layer = new PrivateLayer();
  return {
    open: () => Promise.resolve(new PrivateReadStore(beneath, layer)),
    remove: async () => {
      await beneath.close();
      await rm(folder, { recursive: true });
    },
  };
});

describe('a private read store on a store with documents', () => {
  const OVERVIEW = 'overview.v1';
  let folder: string;
  let beneath: ReadStore;
  let store: ReadStore;

  beforeEach(async () => {
    folder = await newFolder();
    beneath = await openSqliteReadStore({ file: path.join(folder, 'views.db') });
    const writes = ['a', 'b', 'c', 'd'].map((key) => write(key, 5n, { from: 'beneath' }));
    await beneath.commit({ writes, checkpoint: { name: OVERVIEW, position: 5n } });
    store = new PrivateReadStore(beneath);
  });

  afterEach(async () => {
    await beneath.close();
    await rm(folder, { recursive: true });
  });

  const write = (key: string, position: bigint, document: object | null) => ({
    collection: OVERVIEW,
    key,
    position,
    document,
  });

  const keys = async (options = {}): Promise<string[]> =>
    (await store.list(OVERVIEW, options)).map(({ key }) => key);

  it('shows the documents beneath', async () => {
    expect(await store.get(OVERVIEW, 'a')).toMatchObject({ document: { from: 'beneath' } });
    expect(await store.checkpoint(OVERVIEW)).toBe(5n);
    expect(await keys()).toEqual(['a', 'b', 'c', 'd']);
    expect(await store.count(OVERVIEW)).toBe(4);
  });

  it('keeps writes in memory', async () => {
    const before = await beneath.list(OVERVIEW);
    await store.commit({
      writes: [write('a', 6n, null), write('b', 7n, { from: 'here' }), write('bb', 7n, {})],
      checkpoint: { name: OVERVIEW, position: 7n },
    });
    expect(await keys()).toEqual(['b', 'bb', 'c', 'd']);
    expect(await keys({ limit: 2, offset: 1 })).toEqual(['bb', 'c']);
    expect(await keys({ limit: 2, direction: 'backwards' })).toEqual(['d', 'c']);
    expect(await store.count(OVERVIEW)).toBe(4);
    expect(await store.get(OVERVIEW, 'b')).toMatchObject({ document: { from: 'here' } });
    expect(await store.checkpoint(OVERVIEW)).toBe(7n);
    expect(await beneath.list(OVERVIEW)).toEqual(before);
    expect(await beneath.checkpoint(OVERVIEW)).toBe(5n);
  });

  it('guards documents beneath by their position', async () => {
    await store.commit({ writes: [write('a', 5n, { from: 'here' })] });
    expect(await store.get(OVERVIEW, 'a')).toMatchObject({ document: { from: 'beneath' } });
  });

  it('shows later writes of the store beneath', async () => {
    await store.commit({ writes: [write('a', 6n, { from: 'here' })] });
    await beneath.commit({ writes: [write('a', 8n, { from: 'server' })] });
    expect(await store.get(OVERVIEW, 'a')).toMatchObject({ document: { from: 'server' } });
    expect((await store.list(OVERVIEW))[0]).toMatchObject({ document: { from: 'server' } });
  });

  it('drops a collection only in memory', async () => {
    await store.drop(OVERVIEW, OVERVIEW);
    expect(await keys()).toEqual([]);
    expect(await store.checkpoint(OVERVIEW)).toBeUndefined();
    expect(await beneath.count(OVERVIEW)).toBe(4);
    expect(await beneath.checkpoint(OVERVIEW)).toBe(5n);
  });
});
