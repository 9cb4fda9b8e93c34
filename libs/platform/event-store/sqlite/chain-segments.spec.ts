import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { counted } from '../event-store.fixture.js';
import { type ChainReport } from '../log-chain.port.js';
import { ChainReader } from './chain-reader.js';
import { type CheckSegment, checkSegments, segmentsOf } from './chain-segments.js';
import { SqliteLogChain } from './sqlite-log-chain.js';
import { openSqliteEventStore } from './sqlite-event-store.js';

const EVENTS = 24;
const BUSY_TIMEOUT_MS = 1_000;

/** Damages of one event of the log. */
const damages = {
  body: 'UPDATE events SET body = flipped(body, :byte) WHERE position = :at',
  hash: 'UPDATE events SET hash = flipped(hash, :byte) WHERE position = :at',
  instant: 'UPDATE events SET recorded_at = recorded_at + 1 + :byte WHERE position = :at',
  missing: 'DELETE FROM events WHERE position = :at AND :byte >= 0',
  /** Unless a moved event is already at this revision of that stream. */
  stream: `UPDATE OR IGNORE events SET stream_id = 99, revision = :at
           WHERE position = :at AND :byte >= 0`,
  /** The event and the one behind it change places. */
  moved: `UPDATE events SET position = CASE position WHEN :at THEN -1 ELSE :at END
           WHERE position IN (:at, :at + 1) AND :byte >= 0`,
} as const;

type Damage = readonly [kind: keyof typeof damages, at: number, byte: number];

const damage: fc.Arbitrary<Damage> = fc.tuple(
  fc.constantFrom(...(Object.keys(damages) as (keyof typeof damages)[])),
  fc.integer({ min: 1, max: EVENTS }),
  fc.nat(200),
);

const flipped = (bytes: unknown, at: unknown): Uint8Array => {
  const flippable = bytes as Uint8Array;
  const index = Number(at) % flippable.length;
  return flippable.with(index, (flippable[index] ?? 0) ^ 1);
};

const inflict = (file: string, all: readonly Damage[]): void => {
  const database = new DatabaseSync(file);
  database.function('flipped', { deterministic: true }, flipped);
  for (const guard of ['events_are_kept', 'events_are_fixed'])
    database.exec(`DROP TRIGGER ${guard}`);
  for (const [kind, at, byte] of all) {
    database.prepare(damages[kind]).run({ at, byte });
    if (kind === 'moved')
      database.prepare('UPDATE events SET position = :to WHERE position = -1').run({ to: at + 1 });
  }
  database.close();
};

const GAP = /^it and all up to (\d+) are missing$/;

/** A segment ends a gap: here it is a list of missing events, however it was cut. */
const spelledOut = ({ damaged, ...report }: ChainReport) => ({
  ...report,
  damaged: damaged.flatMap(({ position, stream, reason }) => {
    const upTo = Number(GAP.exec(reason)?.[1] ?? position);
    const count = upTo - Number(position) + 1;
    const what = count > 1 ? 'it is missing' : reason;
    return Array.from({ length: count }, (_, index) => [Number(position) + index, stream, what]);
  }),
});

describe('the check of the chain in segments', () => {
  let folder = '';
  let sound = '';
  let runs = 0;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-segments-'));
    sound = path.join(folder, 'sound.db');
    const store = await openSqliteEventStore({ file: sound });
    for (let from = 0; from < EVENTS; from += 3) {
      await store.append(`account-${from % 2}`, counted(3, from), 'any');
    }
    await store.close();
  });

  afterAll(() => rm(folder, { recursive: true }));

  const damaged = async (all: readonly Damage[]): Promise<string> => {
    runs += 1;
    const file = path.join(folder, `${runs}.db`);
    await copyFile(sound, file);
    inflict(file, all);
    return file;
  };

  const checked = async (file: string, positions: number, threads: number) => {
    const readers = Array.from({ length: threads }, () => new ChainReader(file, BUSY_TIMEOUT_MS));
    const checkers = readers.map<CheckSegment>(
      (reader) => (segment, seam) =>
        Promise.resolve(reader.check(segment.from, segment.upTo, seam)),
    );
    try {
      return spelledOut(await checkSegments(segmentsOf(EVENTS, positions), checkers, {}));
    } finally {
      for (const reader of readers) reader.close();
    }
  };

  it('finds what one walk over the whole log finds, whatever is damaged', async () => {
    const several = fc.array(damage, { minLength: 0, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(several, fc.integer({ min: 1, max: 9 }), async (all, positions) => {
        const file = await damaged(all);
        const whole = await checked(file, EVENTS, 1);
        expect(await checked(file, positions, 3)).toEqual(whole);
        await rm(file);
      }),
      {
        numRuns: 150,
        examples: [
          [[['hash', 8, 0]], 4],
          [[['hash', 7, 0]], 4],
          [[['missing', 8, 0]], 4],
          [
            [
              ['missing', 7, 0],
              ['missing', 8, 0],
              ['missing', 9, 0],
            ],
            4,
          ],
          [
            [
              ['body', 8, 60],
              ['body', 9, 60],
            ],
            4,
          ],
          [
            [
              ['hash', 8, 1],
              ['hash', 9, 1],
            ],
            4,
          ],
        ],
      },
    );
  });

  it('finds damage at the same place on threads', async () => {
    const file = await damaged([
      ['hash', 8, 1],
      ['missing', 12, 0],
      ['body', 13, 30],
    ]);
    const chain = new SqliteLogChain({ file, busyTimeoutMs: BUSY_TIMEOUT_MS }, 3, 4);
    const progress: bigint[] = [];
    const report = await chain.check({
      upTo: BigInt(EVENTS),
      onProgress: (position) => progress.push(position),
    });
    expect(spelledOut(report)).toEqual(await checked(file, EVENTS, 1));
    expect(report.damaged.map(({ position }) => position)).toEqual([8n, 12n]);
    expect(progress).toEqual([4n, 8n, 12n, 16n, 20n, 24n]);
  });

  it('fails with the failure of a segment', async () => {
    const failing: CheckSegment = () => Promise.reject(new Error('the thread ended'));
    const checking = checkSegments(segmentsOf(EVENTS, 5), [failing, failing], {});
    await expect(checking).rejects.toThrow('the thread ended');
  });
});
