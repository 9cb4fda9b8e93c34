import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OwnerPresence } from './owner-presence.js';

/** Holds the lock of an owner as `OwnerPresence` does, and says so. */
const HOLD = `
  const { DatabaseSync } = require('node:sqlite');
  globalThis.held = new DatabaseSync(process.argv[1]);
  held.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  process.stdout.write('held');
  setInterval(() => undefined, 1000);
`;

const kill = async (child: ChildProcess): Promise<void> => {
  if (!child.kill('SIGKILL')) return;
  await once(child, 'exit');
};

describe('the presence of owners', () => {
  let folder: string;
  let children: ChildProcess[];

  beforeEach(async () => {
    children = [];
    folder = await mkdtemp(path.join(os.tmpdir(), 'owners-'));
  });

  afterEach(async () => {
    await Promise.all(children.map(kill));
    await rm(folder, { recursive: true });
  });

  const holdElsewhere = async (owner: string): Promise<ChildProcess> => {
    const child = spawn(process.execPath, ['-e', HOLD, path.join(folder, owner)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await once(child.stdout, 'data');
    return child;
  };

  it('sees an owner until it leaves', () => {
    const first = OwnerPresence.claim(folder);
    const second = OwnerPresence.claim(folder);
    expect(second.isGone(first.id)).toBe(false);
    first.release();
    expect(second.isGone(first.id)).toBe(true);
    expect(second.isGone(second.id)).toBe(false);
    second.release();
  });

  it('sees another process until it is killed', async () => {
    const child = await holdElsewhere('other');
    const presence = OwnerPresence.claim(folder);
    expect(presence.isGone('other')).toBe(false);
    await kill(child);
    expect(presence.isGone('other')).toBe(true);
    presence.release();
  });

  it('clears away the files of owners that are gone, and no others', async () => {
    await holdElsewhere('alive');
    await writeFile(path.join(folder, 'gone'), '');
    const presence = OwnerPresence.claim(folder);
    expect((await readdir(folder)).sort()).toEqual([presence.id, 'alive'].sort());
    presence.release();
  });

  it('leaves nothing behind', async () => {
    OwnerPresence.claim(folder).release();
    expect(await readdir(folder)).toEqual([]);
  });
});
