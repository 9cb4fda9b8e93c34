import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { counted, event, numbersOf, readLog } from '../event-store.fixture.js';
import { type EventStore } from '../event-store.port.js';
import { filteredPages } from './filtered-pages.js';
import { openSqliteEventStore } from './sqlite-event-store.js';
import { type PageRow, rowsOf } from './stored-rows.js';

describe('pages of the log', () => {
  let folder = '';
  let file = '';
  let store: EventStore;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-pages-'));
    file = path.join(folder, 'events.db');
    store = await openSqliteEventStore({ file });
  });

  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('has bodies of every size, beside each other', async () => {
    const sizes = [
      0,
      60,
      8_000,
      8_100,
      ...Array.from({ length: 80 }, (_, n) => 8_100 + n),
      300_000,
    ];
    const events = sizes.map((size, number) => event('Sized', { number, text: 'é'.repeat(size) }));
    for (const one of events) await store.append('job-1', [one, ...counted(1, 500)], 'any');
    await store.close();
    store = await openSqliteEventStore({ file });
    const filters = [
      undefined,
      { by: 'type', prefixes: ['Sized', 'Counted'] },
      { by: 'stream', prefixes: ['job-'] },
    ] as const;
    for (const filter of filters) {
      const read = await readLog(store, filter && { filter });
      expect(numbersOf(read)).toEqual(sizes.flatMap((_, number) => [number, 500]));
      expect(read.filter(({ type }) => type === 'Sized').map(({ data }) => data)).toEqual(
        events.map(({ data }) => data),
      );
    }
    const report = await store.chain?.check({ upTo: await store.head() });
    expect(report).toMatchObject({ events: 2 * sizes.length, damaged: [] });
  });

  it('has events of a type that the log got after the reader was opened', async () => {
    await store.append('job-1', counted(2), 'any');
    const database = new DatabaseSync(file, { readOnly: true });
    const read = filteredPages(
      (sql) => {
        const statement = database.prepare(sql);
        statement.setReturnArrays(true);
        return statement;
      },
      { by: 'type', prefixes: ['Late'] },
    );
    const found = (): readonly number[] =>
      [...rowsOf(read(0, 100, 10), () => Buffer.alloc(0))].map(({ position }) => position);
    expect(found()).toEqual([]);
    await store.append('job-1', [event('Late'), event('Counted'), event('LateToo')], 'any');
    expect(found()).toEqual([3, 5]);
    database.close();
  });

  it('fails where SQLite gives rows in another order', () => {
    const columns = JSON.stringify([2, 1].map((position) => [position, 1, 0, 1, 0, 4]));
    const page: PageRow = [Buffer.alloc(8), columns];
    expect(() => [...rowsOf(page, () => Buffer.alloc(4))]).toThrow('position 1 follows 2');
  });
});
