import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFolder } from './create-folder.js';

describe('the creation of a folder', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'quipu-folders-'));
  });

  afterEach(() => rm(root, { recursive: true }));

  it('includes its parents, for their owner, and names the first', async () => {
    const folder = path.join(root, 'a', 'b', 'c');
    expect(await createFolder(folder)).toBe(path.join(root, 'a'));
    for (const one of [folder, path.dirname(folder)]) {
      expect((await stat(one)).mode & 0o777).toBe(0o700);
    }
    expect(await createFolder(folder)).toBeUndefined();
  });

  it('may be done by several at once', async () => {
    const folder = path.join(root, 'a', 'b');
    await Promise.all(Array.from({ length: 8 }, () => createFolder(folder)));
    expect((await stat(folder)).isDirectory()).toBe(true);
  });

  it('fails at once where there can be none', async () => {
    const file = path.join(root, 'file');
    await writeFile(file, '');
    await expect(createFolder(file)).rejects.toThrow('EEXIST');
    await expect(createFolder(path.join(file, 'x'))).rejects.toThrow(/E(EXIST|NOTDIR)/);
    // Linux has a parent there, and answers ENOENT.
    await expect(createFolder('/proc/quipu/home')).rejects.toThrow('ENOENT');
  });
});
