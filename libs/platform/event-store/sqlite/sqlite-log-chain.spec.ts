import { createHash } from 'node:crypto';
import { mkdtemp, open as openFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { counted, event, readLog, readStream } from '../event-store.fixture.js';
import { DamagedEventError } from '../event-store.errors.js';
import { CHAIN_START, EventHasher, storedFieldsOf } from '../event.chain.js';
import { type EventStore } from '../event-store.port.js';
import { type ChainReport, type DamagedEvent } from '../log-chain.port.js';
import { EventUnpacker } from './event-unpacker.js';
import { openSqliteEventStore } from './sqlite-event-store.js';
import { bufferOf } from './stored-rows.js';
import { WordReader } from './word-list.js';

interface RawRow {
  readonly position: number;
  readonly name: string;
  readonly revision: number;
  readonly type: string;
  readonly recorded_at: number;
  readonly id: string;
  readonly data: string;
  readonly metadata: string;
  readonly hash: Uint8Array;
}

type StoredRow = Omit<RawRow, 'id' | 'data' | 'metadata'> & { readonly body: Uint8Array };

/** The chain as the README describes it, written a second time. */
const recomputed = (rows: readonly RawRow[]): readonly string[] => {
  const integer = (value: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(value));
    return bytes;
  };
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  let chain: Uint8Array = Buffer.alloc(32);
  return rows.map((row) => {
    const encoding = Buffer.concat([
      Buffer.from([1]),
      integer(row.revision),
      integer(row.recorded_at),
      ...[row.name, row.type, row.id, row.data, row.metadata].map(text),
    ]);
    const leaf = createHash('sha256')
      .update(Buffer.from([0]))
      .update(encoding)
      .digest();
    chain = createHash('sha256')
      .update(Buffer.from([2]))
      .update(chain)
      .update(leaf)
      .digest();
    return Buffer.from(chain).toString('hex');
  });
};

/** @param at from the end when it is negative */
const flipped = (body: SQLOutputValue, at: SQLOutputValue): Uint8Array => {
  if (!(body instanceof Uint8Array) || typeof at !== 'number') throw new TypeError('a body');
  const index = at < 0 ? body.length + at : at;
  return body.with(index, (body.at(index) ?? 0) ^ 1);
};

describe('the chain of the SQLite event store', () => {
  let folder = '';
  let file = '';
  const opened: EventStore[] = [];

  const open = async (): Promise<EventStore> => {
    const store = await openSqliteEventStore({ file });
    opened.push(store);
    return store;
  };

  const meddle = <Result>(act: (database: DatabaseSync) => Result): Result => {
    const database = new DatabaseSync(file);
    try {
      return act(database);
    } finally {
      database.close();
    }
  };

  /** Changes rows as a byte that flips on the disk would: no trigger sees it. */
  const damage = (...statements: readonly string[]): void => {
    meddle((database) => {
      const guards = [
        'events_are_kept',
        'events_are_fixed',
        'streams_are_fixed',
        'words_are_fixed',
      ];
      database.function('flipped', { deterministic: true }, flipped);
      for (const guard of guards) database.exec(`DROP TRIGGER ${guard}`);
      for (const statement of statements) database.exec(statement);
    });
  };

  const rows = (): readonly RawRow[] =>
    meddle((database) => {
      const unpacker = new EventUnpacker(new WordReader(database));
      const stored = database
        .prepare(
          `SELECT position, name, revision, words.text AS type, recorded_at, body, hash
             FROM events JOIN streams ON streams.id = stream_id JOIN words ON words.id = type
            ORDER BY position`,
        )
        .all() as unknown as readonly StoredRow[];
      return stored.map(({ body, ...row }) => {
        const { name, recorded_at: at } = row;
        const { id, data, metadata } = unpacker.unpack(bufferOf(body), 0, body.length, name, at);
        return { ...row, id: String(id), data: String(data), metadata: String(metadata) };
      });
    });

  const check = async (store: EventStore): Promise<ChainReport> => {
    if (!store.chain) throw new Error('the store keeps no chain');
    return store.chain.check({ upTo: await store.head() });
  };

  /** Three streams, six events. */
  const filled = async (): Promise<EventStore> => {
    const store = await open();
    await store.append('account-ada', counted(2), 'no-stream');
    await store.append('account-bob', [event('Held', { text: 'grüße 🪢 \u0000' })], 'no-stream');
    await store.append('account-ada', counted(2, 2), 1n);
    await store.append('catalog-main', counted(1), 'no-stream');
    return store;
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-chain-'));
    file = path.join(folder, 'events.db');
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    await rm(folder, { recursive: true });
  });

  it('stores the hashes that an independent computation gives', async () => {
    const store = await filled();
    const stored = rows();
    const hashes = stored.map(({ hash }) => Buffer.from(hash).toString('hex'));
    expect(hashes).toEqual(recomputed(stored));
    expect(await check(store)).toEqual({
      events: 6,
      position: 6n,
      hash: hashes[5],
      damaged: [],
    });
  });

  it('can be recomputed by a reader of the port', async () => {
    const store = await filled();
    const hasher = new EventHasher();
    let chain: Uint8Array = CHAIN_START;
    for (const recorded of await readLog(store)) {
      chain = hasher.chainHash(chain, storedFieldsOf(recorded));
    }
    expect(Buffer.from(chain).toString('hex')).toBe((await check(store)).hash);
  });

  it('continues over processes that write in turns, and over a stale append', async () => {
    const [one, other] = [await open(), await open()];
    for (let turn = 0; turn < 6; turn += 1) {
      const store = turn % 2 === 0 ? one : other;
      await Promise.allSettled([
        store.append('job-1', counted(2), 'any'),
        store.append('job-1', counted(1), 99n),
        store.append('job-2', counted(9), 'any'),
      ]);
    }
    const stored = rows();
    expect(stored).toHaveLength(66);
    expect(stored.map(({ hash }) => Buffer.from(hash).toString('hex'))).toEqual(recomputed(stored));
    expect((await check(one)).damaged).toEqual([]);
  });

  it('continues after an append that was rolled back', async () => {
    const store = await filled();
    meddle((database) =>
      database.exec(`CREATE TRIGGER broken BEFORE INSERT ON events WHEN NEW.revision = 1
                     BEGIN SELECT RAISE(ABORT, 'broken'); END`),
    );
    const doomed = store.append('job-1', [event('Counted'), event('Broken')], 'any');
    await expect(doomed).rejects.toThrow('broken');
    await store.append('job-1', counted(1), 'any');
    expect((await check(store)).damaged).toEqual([]);
  });

  it('checks an empty log', async () => {
    const store = await open();
    expect(await check(store)).toEqual({ events: 0, position: 0n, hash: null, damaged: [] });
  });

  const DIFFERS = 'it differs from the appended event';

  it.each([
    ['the last byte, of the data', `UPDATE events SET body = flipped(body, -1) WHERE position = 4`],
    ['a byte of the metadata', `UPDATE events SET body = flipped(body, 40) WHERE position = 4`],
    ['the instant', 'UPDATE events SET recorded_at = recorded_at + 1 WHERE position = 4'],
    ['the id', `UPDATE events SET body = flipped(body, 3) WHERE position = 4`],
    ['the type', `UPDATE events SET type = type + 1 WHERE position = 4`],
    ['the type to no word', `UPDATE events SET type = 999 WHERE position = 4`],
    ['the revision', 'UPDATE events SET revision = 9 WHERE position = 4'],
    [
      'the number of the stream',
      'UPDATE events SET stream_id = 3, revision = 8 WHERE position = 4',
    ],
    ['the hash', `UPDATE events SET hash = zeroblob(32) WHERE position = 4`],
    ['its length', `UPDATE events SET body = CAST(body || x'ff' AS BLOB) WHERE position = 4`],
  ])('finds a change of %s, and only there', async (_, statement) => {
    const store = await filled();
    damage(statement);
    const { damaged, events } = await check(store);
    expect(events).toBe(6);
    expect(damaged).toEqual([
      expect.objectContaining({ position: 4n, reason: expect.stringContaining(DIFFERS) }),
    ]);
  });

  const found = async (...statements: readonly string[]): Promise<readonly DamagedEvent[]> => {
    const store = await filled();
    damage(...statements);
    return (await check(store)).damaged;
  };

  it('finds a change of a body that is too large for a page', async () => {
    const store = await filled();
    const text = 'x'.repeat(100_000);
    await store.append('account-eve', [event('Long', { text }), ...counted(1)], 'no-stream');
    expect((await check(store)).damaged).toEqual([]);
    damage('UPDATE events SET body = flipped(body, 50000) WHERE position = 7');
    expect((await check(store)).damaged).toEqual([
      { position: 7n, stream: 'account-eve', reason: DIFFERS },
    ]);
  });

  it('finds the name of a stream that was changed, at each of its events', async () => {
    const damaged = await found(`UPDATE streams SET name = 'account-eve' WHERE id = 1`);
    expect(damaged.map(({ position, stream }) => [position, stream])).toEqual(
      [1n, 2n, 4n, 5n].map((position) => [position, 'account-eve']),
    );
  });

  it('finds a word that was changed, at each of the events that have it', async () => {
    const damaged = await found(`UPDATE words SET text = 'Halted' WHERE text = 'Held'`);
    expect(damaged).toEqual([{ position: 3n, stream: 'account-bob', reason: DIFFERS }]);
  });

  it('finds an event that is missing, and one that has moved', async () => {
    expect(await found('DELETE FROM events WHERE position = 4')).toEqual([
      { position: 4n, stream: null, reason: 'it is missing' },
    ]);
  });

  it('finds a part of the log that is missing at its start', async () => {
    expect(await found('DELETE FROM events WHERE position <= 3')).toEqual([
      { position: 1n, stream: null, reason: 'it and all up to 3 are missing' },
    ]);
  });

  it('lists every damaged event', async () => {
    const damaged = await found(
      `UPDATE events SET body = substr(body, 1, 20) WHERE position IN (2, 6)`,
      'UPDATE events SET recorded_at = 0 WHERE position = 3',
      'UPDATE events SET stream_id = 99, revision = 99 WHERE position = 5',
    );
    expect(damaged).toEqual([
      { position: 2n, stream: 'account-ada', reason: `${DIFFERS}, and cannot be read` },
      { position: 3n, stream: 'account-bob', reason: DIFFERS },
      { position: 5n, stream: null, reason: 'its stream is gone' },
      { position: 6n, stream: 'catalog-main', reason: `${DIFFERS}, and cannot be read` },
    ]);
  });

  it('finds a field whose type has changed', async () => {
    const store = await filled();
    // SQLite keeps the types of a STRICT table; a flipped byte in a record does not.
    meddle((database) => {
      database.enableDefensive(false);
      database.exec(`PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'events'`);
    });
    damage(`UPDATE events SET body = hex(body) WHERE position = 4`);
    expect((await check(store)).damaged).toEqual([
      { position: 4n, stream: 'account-ada', reason: 'a field has another type than it had' },
    ]);
  });

  it('names the events in a broken part of the file, and checks the others', async () => {
    const first = await open();
    for (let from = 0; from < 600; from += 100) {
      await first.append('job-1', counted(100, from), 'any');
    }
    await first.close();
    const page = meddle((database) => {
      const { size } =
        database.prepare('SELECT page_size AS size FROM pragma_page_size').get() ?? {};
      const leaf = database
        .prepare(`SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'leaf'`)
        .all()[3];
      return { size: Number(size), at: (Number(leaf?.['pageno']) - 1) * Number(size) };
    });
    const disk = await openFile(file, 'r+');
    await disk.write(Buffer.alloc(8, 0xff), 0, 8, page.at);
    await disk.close();

    const store = await open();
    const { damaged, position, events } = await check(store);
    expect(position).toBe(600n);
    expect(damaged.length).toBeGreaterThan(0);
    expect(damaged.length).toBeLessThan(60);
    expect(events).toBe(600 - damaged.length);
    expect(damaged[0]?.reason).toMatch(/^the file cannot be read there: /);
    const met: DamagedEvent[] = [];
    const read = await readLog(store, { onDamaged: (one) => met.push(one) });
    expect(read).toHaveLength(events);
    expect(met.map((one) => one.position)).toEqual(damaged.map((one) => one.position));
  });

  it('ends when it is aborted', async () => {
    const store = await filled();
    const reason = new Error('stopped');
    const checking = store.chain?.check({ upTo: 6n, signal: AbortSignal.abort(reason) });
    await expect(checking).rejects.toBe(reason);
  });

  describe('a damaged event', () => {
    const UNREADABLE = { position: 4n, stream: 'account-ada' };

    const damaged = async (): Promise<EventStore> => {
      const store = await filled();
      damage('UPDATE events SET body = substr(body, 1, 20) WHERE position = 4');
      return store;
    };

    it('fails a read by its position and stream, and shows in the health', async () => {
      const store = await damaged();
      expect(await store.health()).toEqual({ writable: true, reason: null });
      await expect(readStream(store, 'account-ada')).rejects.toThrow(DamagedEventError);
      await expect(readStream(store, 'account-ada')).rejects.toThrow(
        'the event at position 4 of account-ada: it cannot be read',
      );
      const health = await store.health();
      expect(health).toMatchObject({ writable: true, reason: null, damaged: [UNREADABLE] });
    });

    it('fails a subscription', async () => {
      const store = await damaged();
      const subscription = store.subscribe({ after: 0n, signal: AbortSignal.timeout(5_000) });
      const reading = async () => {
        for await (const batch of subscription) expect(batch.position).toBe(0n);
      };
      await expect(reading()).rejects.toThrow('position 4 of account-ada');
    });

    it('is reported to an audit, which reads on behind it', async () => {
      const store = await damaged();
      const met: DamagedEvent[] = [];
      const events = await readLog(store, { onDamaged: (one) => met.push(one) });
      expect(events.map(({ position }) => position)).toEqual([1n, 2n, 3n, 5n, 6n]);
      expect(met).toEqual([expect.objectContaining(UNREADABLE)]);
      expect((await store.health()).damaged).toEqual(met);
    });
  });
});
