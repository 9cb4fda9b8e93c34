import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfinedFile } from './confined-file.js';

describe('a file of a workspace', () => {
  let folder: string;
  let workspace: string;
  let staged: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'confined-'));
    [workspace, staged] = [path.join(folder, 'workspace'), path.join(folder, 'staged')];
    await mkdir(workspace);
    await writeFile(staged, 'new', { mode: 0o600 });
  });

  afterEach(() => rm(folder, { recursive: true }));

  const at = (...names: readonly string[]): string => path.join(workspace, ...names);

  it('is replaced in one step, and keeps its mode', async () => {
    await writeFile(at('run.sh'), 'old');
    await chmod(at('run.sh'), 0o755);
    const before = await stat(at('run.sh'));
    const file = await ConfinedFile.open(workspace, 'run.sh');
    const reader = await file.read();
    await file.replace(staged);
    // A program that had it open reads the old one to its end.
    expect(await reader?.readFile('utf8')).toBe('old');
    await reader?.close();
    await file.close();
    const after = await stat(at('run.sh'));
    expect([await readFile(at('run.sh'), 'utf8'), after.mode]).toEqual(['new', before.mode]);
    expect(after.ino).not.toBe(before.ino);
    expect(await readdir(folder)).toEqual(['workspace']);
  });

  it('is created with its folders, for all to read', async () => {
    const file = await ConfinedFile.open(workspace, 'a/b/c');
    expect(await file.read()).toBeNull();
    await file.replace(staged);
    await file.close();
    expect((await stat(at('a/b/c'))).mode & 0o777).toBe(0o644);
  });

  it('is not written outside when its folder is exchanged for a link meanwhile', async () => {
    const outside = path.join(folder, 'outside');
    await mkdir(outside);
    await mkdir(at('data'));
    const file = await ConfinedFile.open(workspace, 'data/file');
    await rename(at('data'), at('moved'));
    await symlink(outside, at('data'));
    await file.replace(staged);
    await file.close();
    expect(await readdir(outside)).toEqual([]);
    expect(await readdir(at('moved'))).toEqual(['file']);
  });

  it('is not found in a workspace that is not there', async () => {
    const opening = ConfinedFile.open(path.join(folder, 'absent'), 'a');
    await expect(opening).rejects.toMatchObject({ code: 'workspace_unreachable' });
  });
});
