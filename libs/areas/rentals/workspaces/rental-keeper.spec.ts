import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { recordOf, writeState } from '../engines/process-record.js';
import { RentalFolders } from '../running/rental-folders.js';
import { RentalKeeper } from './rental-keeper.js';

const RENTAL = '019aa7d0-7a3b-7c5d-8e9f-0a1b2c3d4e5f';
const ENDED_AT = '2026-11-22T10:00:00.000Z';
const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

describe('the folders of rentals', () => {
  let folder: string;
  let folders: RentalFolders;
  let story: string[];
  let job: object;
  const clock = { nowMs: 0, now: () => clock.nowMs };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'rental-keeper-'));
    folders = new RentalFolders({ folder });
    await folders.create(RENTAL);
    story = [];
    job = { status: 'cancelled', endedAt: ENDED_AT };
    clock.nowMs = Date.parse(ENDED_AT);
  });

  afterEach(() => rm(folder, { recursive: true }));

  const keeper = () => {
    const note = (what: string) => (rentalId: string) => {
      story.push(`${what} ${rentalId}`);
      return Promise.resolve();
    };
    const engines = { pick: () => Promise.resolve({ reap: note('reap') }) };
    const streams = { stateOf: () => Promise.resolve(job) };
    const workspaces = { remove: note('remove') };
    return new RentalKeeper(
      ...([engines, folders, streams, workspaces, { keptMs: HOUR_MS }] as unknown as [
        never,
        RentalFolders,
        never,
        never,
        { keptMs: number },
      ]),
      clock,
      pino({ level: 'silent' }),
    );
  };

  it('lose the program of an ended rental, once, and later their files', async () => {
    const kept = keeper();
    clock.nowMs += HOUR_MS - 1;
    await kept.lookOnce(never);
    await kept.lookOnce(never);
    expect(story).toEqual([`reap ${RENTAL}`]);
    clock.nowMs += 1;
    await kept.lookOnce(never);
    expect(story).toEqual([`reap ${RENTAL}`, `remove ${RENTAL}`]);
  });

  it('stay while the rental is open, whatever its age', async () => {
    job = { status: 'paused', endedAt: null };
    clock.nowMs += 1_000 * HOUR_MS;
    await keeper().lookOnce(never);
    expect(story).toEqual([]);
  });

  it('leave a program to the process that still stops it', async () => {
    const own = await recordOf(process.pid);
    if (!own) throw new Error('this process exists');
    const kept = keeper();
    await writeState(folders.of(RENTAL).stateFile, { program: own, owner: own });
    await kept.lookOnce(never);
    expect(story).toEqual([]);
    const gone = { pid: own.pid, startTicks: '1' };
    await writeState(folders.of(RENTAL).stateFile, { program: own, owner: gone });
    await kept.lookOnce(never);
    expect(story).toEqual([`reap ${RENTAL}`]);
  });

  it('lose what was received for no file, after six hours', async () => {
    await folders.createIncoming();
    const nowSeconds = clock.nowMs / 1_000;
    for (const [name, ageHours] of [
      ['old', 7],
      ['new', 5],
    ] as const) {
      const file = path.join(folders.incoming, name);
      await writeFile(file, '');
      await utimes(file, nowSeconds, nowSeconds - ageHours * 3_600);
    }
    await keeper().lookOnce(never);
    expect(await readdir(folders.incoming)).toEqual(['new']);
  });

  it('are not touched when they belong to nothing that is known', async () => {
    await mkdir(path.join(folders.rentals, 'notes'));
    job = { status: 'absent' };
    await keeper().lookOnce(never);
    expect((await readdir(folders.rentals)).sort()).toEqual([RENTAL, 'notes']);
    expect(story).toEqual([]);
  });
});
