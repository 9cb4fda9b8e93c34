import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { logRootOf } from '#platform/audit/log-root.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { LogCopy } from '#platform/log-copy/log-copy.js';
import { logKey, witness, witnessKey } from '../bill/bill.fixture.js';
import { type ArchiveHeader, isArchive } from './archive-file.js';
import { ArchivedLog } from './archived-log.js';
import {
  archiveOf,
  cosigned,
  encodings,
  hashOf,
  headerOf,
  rangeOf,
  SIZE,
} from './log-archive.fixture.js';
import { describeArchive, verifyArchive } from './verify-archive.js';

const verified = (file: Buffer, trust = {}) => verifyArchive(Readable.from([file]), trust);

describe('an archive of the log', () => {
  it('is proved for each range, with the keys of the log and of a witness', async () => {
    const trust = { key: logKey, witnesses: [witnessKey] };
    for (let first = 0; first < SIZE; first += 1) {
      const end = first + 1 + (first % (SIZE - first));
      const archive = await rangeOf(first, end);
      expect(isArchive(archive)).toBe(true);
      const report = await verified(archive, trust);
      expect(report).toMatchObject({ first, end, events: end - first, size: SIZE });
      expect(report.root).toBe(hashOf({ begin: 0, end }).toString('hex'));
      expect(report.proved).toContain(`the witness ${witness.key.name} has cosigned it`);
      expect(describeArchive(report)).toContain(`leaves       ${first} to ${end - 1}`);
    }
  });

  it('is not proved when an event is changed, lacks, is doubled or at another place', async () => {
    const header = headerOf(2, 6);
    const [one = Buffer.alloc(0), two = Buffer.alloc(0), ...rest] = encodings.slice(2, 6);
    const changed = Buffer.from(one);
    changed.writeUInt8((changed[8] ?? 0) ^ 1, 8);
    const otherRoot = 'the events have another root than the header says';
    const cases: readonly (readonly [readonly Buffer[], string])[] = [
      [[changed, two, ...rest], otherRoot],
      [[two, one, ...rest], otherRoot],
      [[one, ...rest], 'the archive is cut short'],
      [[one, two, two, ...rest], 'the archive has more events than its header says'],
      [[one.subarray(0, 40), two, ...rest], 'the encoding of an event is cut short'],
    ];
    for (const [events, reason] of cases) {
      await expect(verified(await archiveOf(header, events))).rejects.toThrow(reason);
    }
  });

  it('is not proved with another field of its header', async () => {
    const header = headerOf(3, 6);
    const other = Buffer.alloc(32, 7);
    const cases: readonly (readonly [Partial<ArchiveHeader>, string])[] = [
      [{ root: other }, 'the events have another root'],
      [{ edge: [other, ...header.edge.slice(1)] }, 'the events have another root'],
      [{ edge: header.edge.slice(1) }, 'a tree of 3 leaves has 2 complete subtrees'],
      [{ first: 4 }, 'a tree of 4 leaves has 1 complete subtrees'],
      [{ end: 7 }, 'the archive is cut short'],
      [{ end: 3 }, 'the archive has no event'],
      [{ consistency: [] }, 'the log of the checkpoint does not begin with these events'],
      [{ checkpoint: cosigned.replace('quipu', 'other') }, 'the checkpoint is of'],
      [{ key: witnessKey }, 'the checkpoint is of'],
    ];
    for (const [change, reason] of cases) {
      const archive = await archiveOf({ ...header, ...change }, encodings.slice(3, 6));
      await expect(verified(archive)).rejects.toThrow(reason);
    }
    await expect(verified(await rangeOf(3, 6), { key: witnessKey })).rejects.toThrow('key of the');
  });

  it('is not proved when a byte of it is flipped or its end lacks', async () => {
    const trust = { key: logKey, witnesses: [witnessKey] };
    const bytes = gunzipSync(await rangeOf(0, 4));
    for (let at = 0; at < bytes.length; at += 13) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      await expect(verified(gzipSync(flipped), trust)).rejects.toThrow();
    }
    const archive = await rangeOf(0, 4);
    await expect(verified(archive.subarray(0, -9))).rejects.toThrow('the archive is damaged');
    await expect(verified(Buffer.from('no archive'))).rejects.toThrow('the archive is damaged');
    const long = gzipSync(Buffer.alloc(3 * 1_048_576, 'x'));
    await expect(verified(long)).rejects.toThrow('the header of the archive is too large');
  });
});

describe('archives of a whole log', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-archives-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  const fileOf = async (first: number, end: number): Promise<string> => {
    const file = path.join(folder, `${first}-${end}.log`);
    await writeFile(file, await rangeOf(first, end));
    return file;
  };

  it('are the log again, event by event', async () => {
    const files = [await fileOf(5, SIZE), await fileOf(0, 3), await fileOf(3, 5)];
    const log = await ArchivedLog.open(files);
    expect(log.head).toBe(BigInt(SIZE));
    const target = await openSqliteEventStore({ file: path.join(folder, 'imported.db') });
    try {
      const copy = new LogCopy(log, target);
      await copy.run();
      const root = hashOf({ begin: 0, end: SIZE });
      expect(await copy.compare()).toEqual({ events: SIZE, root: root.toString('hex') });
      expect((await logRootOf(target)).root).toEqual(root);
    } finally {
      await target.close();
    }
    const [page] = await Array.fromAsync(log.readAll({ after: 2n, maxCount: 3 }));
    expect(page?.map(({ position }) => position)).toEqual([3n, 4n, 5n]);
  });

  it('must be adjoining, from the first event', async () => {
    await expect(ArchivedLog.open([await fileOf(2, 4)])).rejects.toThrow('begins with leaf 2');
    const gap = [await fileOf(0, 2), await fileOf(4, 6)];
    await expect(ArchivedLog.open(gap)).rejects.toThrow('the one before ends at 2');
  });
});
