import { describe, expect, it } from '@jest/globals';
import { type CheckedCommit, CommitGroups } from './commit-groups.js';

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
  it('of one turn of the event loop are one group, those of the next another', async () => {
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
