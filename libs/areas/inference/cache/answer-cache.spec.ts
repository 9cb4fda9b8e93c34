import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FaultyReadStore } from '#platform/runtime/faulty-stores.fake.js';
import { openSecrets } from '#platform/secrets/secrets.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { ANSWERS_PER_ACCOUNT_MAX, AnswerCache, CACHED_ANSWERS } from './answer-cache.js';

const START = Date.parse('2026-11-25T18:00:00.000Z');
const KIB = 1_024;

describe('the cache of answers', () => {
  let folder: string;
  let secrets: Secrets;
  let readStore: FaultyReadStore;
  let cache: AnswerCache;
  let now: number;

  const open = (accountBytesMax = 10 * KIB, bytesMax = 100 * KIB): AnswerCache => {
    const limits = { accountBytesMax, bytesMax };
    return new AnswerCache(readStore, secrets, { now: () => now }, limits);
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-cache-'));
    secrets = await openSecrets({ directory: folder });
    readStore = new FaultyReadStore();
    now = START;
    cache = open();
  });

  afterEach(async () => {
    secrets.close();
    await rm(folder, { recursive: true });
  });

  const keep = async (accountId: string, key: string, content = 'Knots.', seconds = 60) => {
    now += 1;
    await cache.keep({ accountId, key }, { subject: `user:${accountId}`, seconds, content });
  };
  const find = async (accountId: string, key: string) =>
    (await cache.find({ accountId, key }))?.content;
  const stored = () => readStore.list(CACHED_ANSWERS, { limit: 10_000 });

  it('has an answer until it expires, and never for another account', async () => {
    await keep('7', 'k');
    expect(await find('7', 'k')).toBe('Knots.');
    expect(await find('8', 'k')).toBeUndefined();
    expect(await find('7', 'j')).toBeUndefined();
    now += 60_000;
    expect(await find('7', 'k')).toBeUndefined();
    expect(await cache.sweep()).toBe(1);
    expect(await stored()).toEqual([]);
  });

  it('stores nothing in clear, and opens nothing that was moved to another account', async () => {
    await keep('7', 'k', 'Secret knots.');
    const documents = await stored();
    expect(JSON.stringify(documents.map(({ document }) => document))).not.toContain('Secret');
    const moved = documents.map(({ key, document }) => ({
      collection: CACHED_ANSWERS,
      key: key.replace('/7/', '/8/'),
      document,
      position: 1n,
    }));
    await readStore.commit({ writes: moved });
    await expect(find('8', 'k')).rejects.toThrow();
  });

  it('has nothing of a user who was erased, and keeps nothing more', async () => {
    await keep('7', 'k');
    await secrets.subjects.erase('user:7');
    expect(await find('7', 'k')).toBeUndefined();
    await expect(keep('7', 'j')).rejects.toThrow('was erased');
  });

  it('removes the oldest answers of an account that has no room', async () => {
    for (const key of ['a', 'b', 'c']) await keep('7', key, 'x'.repeat(4 * KIB));
    await keep('8', 'a', 'x'.repeat(4 * KIB));
    const found = await Promise.all(['a', 'b', 'c'].map((key) => find('7', key)));
    expect(found.map((one) => one !== undefined)).toEqual([false, true, true]);
    expect(await find('8', 'a')).toBeDefined();
  });

  it('keeps no answer that is larger than the room of an account', async () => {
    await keep('7', 'k', 'x'.repeat(10 * KIB + 1));
    expect(await stored()).toEqual([]);
  });

  it('has a newer answer in the place of an older one', async () => {
    await keep('7', 'k', 'old');
    await keep('7', 'k', 'new');
    expect(await find('7', 'k')).toBe('new');
    expect(await stored()).toHaveLength(2);
  });

  it('keeps so many answers of an account, and no more', async () => {
    for (let count = 0; count <= ANSWERS_PER_ACCOUNT_MAX; count += 1)
      await keep('7', `k${count}`, '.');
    expect(await stored()).toHaveLength(2 * ANSWERS_PER_ACCOUNT_MAX);
    expect(await find('7', 'k0')).toBeUndefined();
  });

  it('is bounded in all, and a sweep of another process makes room', async () => {
    cache = open(10 * KIB, 12 * KIB);
    for (const account of ['1', '2', '3', '4']) await keep(account, 'k', 'x'.repeat(4 * KIB));
    expect(await find('3', 'k')).toBeDefined();
    expect(await find('4', 'k')).toBeUndefined();
    const smaller = open(10 * KIB, 4 * KIB);
    expect(await smaller.sweep()).toBe(2);
    expect(await find('3', 'k')).toBeDefined();
    await cache.sweep();
    await keep('4', 'k', 'x'.repeat(4 * KIB));
    expect(await find('4', 'k')).toBeDefined();
  });
});
