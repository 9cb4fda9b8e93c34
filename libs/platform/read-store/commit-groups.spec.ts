import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type CheckedCommit, CommitGroups } from './commit-groups.js';
import { ReadStoreError } from './read-store.errors.js';

const commitOf = (name: string): CheckedCommit => ({
  writes: [],
  checkpoint: { name, position: 1n },
});

const namesOf = (group: readonly CheckedCommit[]): readonly string[] =>
  group.map(({ checkpoint }) => checkpoint?.name ?? '');

/** Rejects the commits called `fenced` one by one, and every group with one called `broken`. */
const recording = () => {
  const groups: (readonly string[])[] = [];
  const commits = new CommitGroups((group) => {
    const names = namesOf(group);
    groups.push(names);
    if (names.includes('broken')) return Promise.reject(new Error('broken'));
    return Promise.resolve(names.map((name) => (name === 'fenced' ? new Error('fenced') : null)));
  });
  const add = (name: string): Promise<string> =>
    commits.add(commitOf(name)).then(
      () => 'written',
      (error: unknown) => (error as Error).message,
    );
  return { groups, commits, add };
};

describe('commits of a read store', () => {
  it('of one turn of the event loop are one group, commits of the next another', async () => {
    const { groups, add } = recording();
    const first = ['a', 'b'].map(add);
    await Promise.all([...first, Promise.resolve().then(() => add('c'))]);
    await add('d');
    expect(groups).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('are rejected alone where the store says so', async () => {
    const { groups, add } = recording();
    expect(await Promise.all(['a', 'fenced', 'b'].map(add))).toEqual([
      'written',
      'fenced',
      'written',
    ]);
    expect(groups).toHaveLength(1);
  });

  it('are written one by one, in order, where the group fails', async () => {
    const { groups, add } = recording();
    expect(await Promise.all(['a', 'broken', 'b'].map(add))).toEqual([
      'written',
      'broken',
      'written',
    ]);
    expect(groups).toEqual([['a', 'broken', 'b'], ['a'], ['broken'], ['b']]);
  });

  it('that come while a group is being written are the next group', async () => {
    const groups: (readonly string[])[] = [];
    const written = Promise.withResolvers<undefined>();
    const commits = new CommitGroups(async (group) => {
      groups.push(namesOf(group));
      if (groups.length === 1) await written.promise;
      return group.map(() => null);
    });
    const first = commits.add(commitOf('a'));
    await nextTurn();
    const second = commits.add(commitOf('b'));
    await nextTurn();
    const third = commits.add(commitOf('c'));
    await nextTurn();
    expect(groups).toEqual([['a']]);
    written.resolve(undefined);
    await Promise.all([first, second, third]);
    expect(groups).toEqual([['a'], ['b', 'c']]);
  });

  it('are rejected together while the store is away', async () => {
    let tries = 0;
    const commits = new CommitGroups(() => {
      tries += 1;
      return Promise.reject(new ReadStoreError('store-unavailable', 'it is away'));
    });
    const outcomes = await Promise.allSettled(
      ['a', 'b'].map((name) => commits.add(commitOf(name))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(tries).toBe(1);
  });

  it('have a bounded number of writes in a group', async () => {
    const groups: (readonly string[])[] = [];
    const commits = new CommitGroups((group) => {
      groups.push(namesOf(group));
      return Promise.resolve(group.map(() => null));
    }, 2);
    const write = { collection: 'c', key: 'k', position: 1n, json: '{}' };
    const sizes = [
      ['a', 1],
      ['b', 1],
      ['large', 3],
      ['d', 1],
    ] as const;
    const added = sizes.map(([name, size]) =>
      commits.add({ ...commitOf(name), writes: Array.from({ length: size }, () => write) }),
    );
    await Promise.all(added);
    expect(groups).toEqual([['a', 'b'], ['large'], ['d']]);
  });

  it('are written at once when they are flushed, and not again', async () => {
    const { groups, commits, add } = recording();
    const added = add('a');
    commits.flush();
    expect(groups).toEqual([['a']]);
    await added;
    await new Promise((resolve) => setImmediate(resolve));
    expect(groups).toEqual([['a']]);
  });
});
