import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventStoreContract } from '../event-store.contract.js';
import { StoreUnavailableError } from '../event-store.errors.js';
import { type EventStore, type RecordedEvent } from '../event-store.port.js';
import { counted, event, follow, readLog } from '../event-store.fixture.js';
import { openSqliteEventStore, type SqliteEventStoreOptions } from './sqlite-event-store.js';

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
    meddle((database) => database.exec('PRAGMA user_version = 2'));
    await expect(open()).rejects.toThrow('has version 2, this build reads 1');
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
    `UPDATE events SET data = '{}'`,
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

  it('waits for the write of another process', async () => {
    const store = await open();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const append = store.append('job-1', counted(1), 'any');
    setTimeout(() => other.exec('ROLLBACK'), 200);
    await expect(append).resolves.toMatchObject({ revision: 0n });
    other.close();
  });

  it('survives a foreign row in the middle of its own', async () => {
    const store = await open();
    const { position } = await store.append('job-1', counted(1), 'no-stream');
    meddle((database) =>
      database.exec(`INSERT INTO events
        SELECT position + 5, stream_id, revision + 1, type, recorded_at,
          '6f1e9a3c-5b0d-4a63-9d53-9a5ab0a1e009', data, metadata FROM events`),
    );
    const next = await store.append('job-1', counted(1), 1n);
    expect(next).toEqual({ revision: 2n, position: position + 6n });
  });
});
