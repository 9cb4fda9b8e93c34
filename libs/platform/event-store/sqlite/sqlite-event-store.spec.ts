import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventHasher, leafOf, storedFieldsOf } from '../event.chain.js';
import { eventStoreContract } from '../event-store.contract.js';
import { StoreUnavailableError } from '../event-store.errors.js';
import {
  type CommittedEvents,
  type EventStore,
  type EventToAppend,
  type RecordedEvent,
} from '../event-store.port.js';
import { counted, event, follow, readLog } from '../event-store.fixture.js';
import { openSqliteEventStore, type SqliteEventStoreOptions } from './sqlite-event-store.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const newFolder = () => mkdtemp(path.join(tmpdir(), 'quipu-log-'));

eventStoreContract('sqlite', async () => {
  const folder = await newFolder();
  const file = path.join(folder, 'events.db');
  const handles: EventStore[] = [];
  const openAnother = async () => {
    const handle = await openSqliteEventStore({ file });
    handles.push(handle);
    return handle;
  };
  return {
    store: await openAnother(),
    openAnother,
    dispose: async () => {
      await Promise.all(handles.map((handle) => handle.close()));
      await rm(folder, { recursive: true });
    },
  };
});

describe('the SQLite event store', () => {
  let folder = '';
  let file = '';
  const opened: EventStore[] = [];

  const open = async (options: Partial<SqliteEventStoreOptions> = {}): Promise<EventStore> => {
    const store = await openSqliteEventStore({ file, ...options });
    opened.push(store);
    return store;
  };

  /** Changes the file with another tool. */
  const meddle = <Result>(act: (database: DatabaseSync) => Result): Result => {
    const database = new DatabaseSync(file);
    try {
      return act(database);
    } finally {
      database.close();
    }
  };

  beforeEach(async () => {
    folder = await newFolder();
    file = path.join(folder, 'events.db');
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    await rm(folder, { recursive: true });
  });

  it('passes over a stretch without events of a type, and misses none behind it', async () => {
    const store = await open();
    const filler = () => store.append('job-1', counted(1_000), 'any');
    await store.append('job-2', [event('Rare')], 'any');
    for (let appends = 0; appends < 13; appends += 1) await filler();
    await store.append('job-2', [event('RareToo'), event('Rare')], 'any');
    await filler();
    const filter = { by: 'type', prefixes: ['Rare'] } as const;
    const found = [1n, 13_002n, 13_003n];
    expect((await readLog(store, { filter })).map(({ position }) => position)).toEqual(found);
    const batches: (readonly [position: bigint, events: number])[] = [];
    const signal = AbortSignal.timeout(10_000);
    for await (const { position, events, caughtUp } of store.subscribe({ filter, signal })) {
      batches.push([position, events.length]);
      if (caughtUp) break;
    }
    expect(batches).toEqual([
      [4_096n, 1],
      [13_001n, 0],
      [14_003n, 2],
    ]);
    const absent = { by: 'type', prefixes: ['None'] } as const;
    expect(await readLog(store, { filter: absent })).toEqual([]);
  });

  it('makes the index of types for a log that has none', async () => {
    const first = await open();
    await first.append('job-1', counted(3), 'any');
    await first.close();
    meddle((database) => database.exec('DROP INDEX events_by_type'));
    const store = await open();
    const filter = { by: 'type', prefixes: ['Counted'] } as const;
    expect(await readLog(store, { filter })).toHaveLength(3);
    const named = meddle((database) =>
      database.prepare(`SELECT name FROM sqlite_schema WHERE name = 'events_by_type'`).all(),
    );
    expect(named).toHaveLength(1);
  });

  it('hands out what it appends with the leaf hashes of its writer', async () => {
    const store = await open();
    const [first, second, third] = counted(3) as [EventToAppend, EventToAppend, EventToAppend];
    await store.append('job-1', [first], 'no-stream');
    const { position } = await store.append('job-2', [second], 'no-stream');
    const following = follow(store, { after: position }, (seen) => seen.length === 2);
    await Promise.all([
      store.append('job-1', [third], 7n).catch(() => undefined),
      store.append('job-1', [first], 'no-stream'),
      store.append('job-3', [second], 'no-stream'),
      store.append('job-1', [third], 0n),
    ]);
    const { events } = await following;
    const hasher = new EventHasher();
    const computed = events.map((one) => hex(hasher.leafHash(storedFieldsOf(one))));
    expect(events.map((one) => hex(leafOf(one, new EventHasher())))).toEqual(computed);
    expect(new Set(computed).size).toBe(2);
    // A view into Node's pool of buffers would have brought the pool with it.
    for (const one of events) expect(leafOf(one, hasher).buffer.byteLength).toBeLessThan(1_024);
  });

  it('reports its commits, and which position they follow', async () => {
    const store = await open();
    const other = await open();
    const commits: CommittedEvents[] = [];
    store.onCommitted?.((committed) => commits.push(committed));
    const startedAt = performance.now();
    await store.append('job-1', counted(2), 'no-stream');
    await other.append('job-2', counted(3), 'no-stream');
    await store.append('job-1', counted(1), 1n);
    expect(
      commits.map(({ after, events }) => [after, events.map(({ position }) => position)]),
    ).toEqual([
      [0n, [1n, 2n]],
      [5n, [6n]],
    ]);
    const [first, second] = commits.map(({ sentAtMs }) => sentAtMs);
    expect(first).toBeGreaterThanOrEqual(startedAt);
    expect(second).toBeLessThanOrEqual(performance.now());
  });

  it('commits the appends that the end of a commit sets off with the waiting ones', async () => {
    const store = await open();
    const groups: number[] = [];
    store.onCommitted?.(({ events }) => groups.push(events.length));
    const append = (stream: string) => store.append(stream, counted(1), 'no-stream');
    const both = append('job-1').then(() => append('job-2'));
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([both, append('job-3')]);
    expect(groups).toEqual([1, 2]);
  });

  it('rejects a file that is no database', async () => {
    await writeFile(file, 'account,balance\ndemo,10\n'.repeat(100));
    await expect(open()).rejects.toThrow(StoreUnavailableError);
    await expect(open()).rejects.toThrow(`${file} is not an event log`);
  });

  it('rejects the database of another program, and leaves it as it was', async () => {
    meddle((database) => database.exec('CREATE TABLE events (id TEXT)'));
    await expect(open()).rejects.toThrow('belongs to another program');
    meddle((database) => {
      const look = (sql: string) => database.prepare(sql).get();
      expect(look('SELECT group_concat(name) AS names FROM sqlite_schema')).toEqual({
        names: 'events',
      });
      expect(look('PRAGMA journal_mode')).toEqual({ journal_mode: 'delete' });
    });
  });

  it('rejects a log of another schema version', async () => {
    await (await open()).close();
    meddle((database) => database.exec('PRAGMA user_version = 1'));
    await expect(open()).rejects.toThrow('has version 1, this build reads 2');
  });

  it('rejects a folder that is not there', async () => {
    const missing = path.join(folder, 'missing', 'events.db');
    await expect(open({ file: missing })).rejects.toThrow(StoreUnavailableError);
  });

  it('opens an empty file from several sides at once', async () => {
    const stores = await Promise.all([open(), open(), open()]);
    await Promise.all(stores.map((store) => store.append('job-1', counted(1), 'any')));
    for (const store of stores) expect(await readLog(store)).toHaveLength(3);
  });

  it.each([
    `UPDATE events SET body = x''`,
    `UPDATE words SET text = 'Other'`,
    'DELETE FROM words',
    'DELETE FROM events',
    `UPDATE streams SET name = 'job-2'`,
    'DELETE FROM streams',
  ])('guards the log against %s', async (statement) => {
    const store = await open();
    await store.append('job-1', counted(1), 'any');
    const before = await readLog(store);
    expect(() => meddle((database) => database.exec(statement))).toThrow('the log is append-only');
    expect(await readLog(store)).toEqual(before);
  });

  it('records the instant that its clock gives', async () => {
    const store = await open({ clock: { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) } });
    await store.append('job-1', counted(1), 'any');
    const [first] = await readLog(store);
    expect(first?.recordedAt).toBe('2026-01-02T03:04:05.006Z');
  });

  it('delivers the appended objects to live subscribers, equal to the stored ones', async () => {
    const store = await open();
    const given = event('Counted', { number: 1 });
    let appending: Promise<unknown> | undefined;
    const { events } = await follow(store, {}, (seen) => {
      appending ??= store.append('job-1', [given], 'any');
      return seen.length === 1;
    });
    expect(events[0]?.data).toBe(given.data);
    expect(events[0]?.metadata).toBe(given.metadata);
    expect(events).toEqual(await readLog(store));
  });

  it('reads from the file again for a subscriber who has fallen behind', async () => {
    const store = await open();
    const given = Array.from({ length: 20 }, () => counted(500));
    let appending: Promise<unknown> | undefined;
    const { events } = await follow(store, {}, async (seen) => {
      appending ??= Promise.all(
        given.map((events, index) => store.append(`job-${index}`, events, 'no-stream')),
      );
      await appending;
      return seen.length === 10_000;
    });
    const appended = new Set(given.flat().map(({ data }) => data));
    const fromMemory = ({ data }: RecordedEvent) => appended.has(data);
    expect(events.some((recorded) => !fromMemory(recorded))).toBe(true);
    expect(events).toEqual(await readLog(store));
  });

  it('reads what several processes have packed in turns', async () => {
    const [one, other] = [await open(), await open()];
    const words = ['amber', 'basalt', 'cobalt', 'amber', 'basalt', 'cobalt', 'amber'];
    for (const [turn, word] of [...words, ...words].entries()) {
      const store = turn % 2 === 0 ? one : other;
      await store.append('job-1', [event(`Turned-${word}`, { word, [word]: turn })], 'any');
    }
    const read = await readLog(one);
    expect(read.map(({ data }) => data)).toEqual(
      [...words, ...words].map((word, turn) => ({ word, [word]: turn })),
    );
    expect(await readLog(other)).toEqual(read);
    expect((await one.chain?.check({ upTo: 14n }))?.damaged).toEqual([]);
  });

  it('keeps no word of an append that was rolled back', async () => {
    const store = await open();
    const named = (revision: number) => [event('Named', { revision, colour: 'amber' })];
    await store.append('job-1', named(0), 'any');
    meddle((database) =>
      database.exec(`CREATE TRIGGER broken BEFORE INSERT ON events
                     BEGIN SELECT RAISE(ABORT, 'broken'); END`),
    );
    await expect(store.append('job-1', named(1), 'any')).rejects.toThrow('broken');
    meddle((database) => database.exec('DROP TRIGGER broken'));
    for (const revision of [1, 2, 3]) await store.append('job-1', named(revision), 'any');
    expect((await readLog(store)).map(({ data }) => data)).toEqual(
      [0, 1, 2, 3].map((revision) => ({ revision, colour: 'amber' })),
    );
  });

  it('reads the writes of another process once for all live subscriptions', async () => {
    const [store, other] = [await open(), await open()];
    await other.append('job-1', counted(1), 'no-stream');
    const wanted = { by: 'type', prefixes: [''] } as const;
    let live = 0;
    const subscribed = [{}, { filter: wanted }].map((options) =>
      follow(store, options, async (seen) => {
        live += 1;
        if (live === 2) await other.append('job-1', counted(3), 0n);
        return seen.length === 4;
      }),
    );
    const [all, filtered] = await Promise.all(subscribed);
    expect(all?.events).toEqual(await readLog(store));
    expect(filtered?.events[3]).toBe(all?.events[3]);
  });

  it('waits for the write of another process', async () => {
    const store = await open();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const append = store.append('job-1', counted(1), 'any');
    setTimeout(() => other.exec('ROLLBACK'), 200);
    await expect(append).resolves.toMatchObject({ revision: 0n });
    other.close();
  });

  it('reads its last appends from memory, and appends of others from the file', async () => {
    const [store, other] = [await open(), await open()];
    const [first, second, third] = counted(3);
    if (!first || !second || !third) throw new Error('three events');
    await store.append('job-1', [first], 'any');
    const { position } = await store.append('user-1', [second], 'any');
    const filter = { by: 'stream', prefixes: ['user-'] } as const;
    const read = await readLog(store, { filter });
    expect(read.map(({ data }) => data)).toEqual([second.data]);
    expect(read[0]?.data).toBe(second.data);
    expect(await readLog(store, { after: position })).toEqual([]);
    expect(await readLog(store, { maxCount: 1 })).toHaveLength(1);
    await other.append('user-2', [third], 'any');
    expect((await readLog(store, { filter })).map(({ stream }) => stream)).toEqual([
      'user-1',
      'user-2',
    ]);
    // From memory first, then from the file.
    expect((await readLog(store, { maxCount: 2 })).map(({ stream }) => stream)).toEqual([
      'job-1',
      'user-1',
    ]);
    const [own, theirs] = (await readLog(store, { after: 1n })).map(({ data }) => data);
    expect([own, theirs]).toEqual([second.data, third.data]);
    expect(own).toBe(second.data);
    await store.append('user-3', counted(1), 'any');
    expect(await readLog(store)).toEqual(await readLog(other));
  });

  it('unpacks an event once for subscribers that catch up together', async () => {
    await (await open()).append('job-1', counted(3), 'any');
    const store = await open();
    const filter = { by: 'type', prefixes: ['Counted'] } as const;
    const isWhole = (seen: readonly RecordedEvent[]) => seen.at(-1)?.position === 3n;
    const [, all, some] = await Promise.all([
      // The first one is alone when it reads.
      follow(store, {}, isWhole),
      follow(store, {}, isWhole),
      follow(store, { filter, after: 1n }, isWhole),
    ]);
    expect(some.events.map(({ position }) => position)).toEqual([2n, 3n]);
    expect(some.events[0]).toBe(all.events[1]);
    const alone = await follow(store, {}, isWhole);
    expect(alone.events).toEqual(all.events);
    expect(alone.events[0]).not.toBe(all.events[0]);
  });

  it('reads events from the file that are too old for its memory', async () => {
    const store = await open();
    for (let at = 0; at < 3; at += 1) await store.append('job-1', counted(1_000), 'any');
    const page = await readLog(store);
    expect(page).toHaveLength(3_000);
    expect(await readLog(store, { after: 1_500n })).toEqual(page.slice(1_500));
  });

  it('survives a foreign row in the middle of its own', async () => {
    const store = await open();
    const { position } = await store.append('job-1', counted(1), 'no-stream');
    meddle((database) =>
      database.exec(`INSERT INTO events
        SELECT position + 5, stream_id, revision + 1, type, recorded_at,
          CAST(x'6f1e9a3c5b0d4a639d539a5ab0a1e009' || substr(body, 17) AS BLOB), hash FROM events`),
    );
    const next = await store.append('job-1', counted(1), 1n);
    expect(next).toEqual({ revision: 2n, position: position + 6n });
  });
});
