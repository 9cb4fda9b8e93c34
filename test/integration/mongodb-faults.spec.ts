import { type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openMongoAnswerStore } from '#platform/idempotency/mongodb/mongodb-answer-store.js';
import { type MongoDatabase, openMongoDatabase } from '#platform/mongodb/mongo-database.js';
import { openMongoReadStore } from '#platform/read-store/mongodb/mongodb-read-store.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { mongoKeySet } from '#platform/secrets/mongodb/mongodb-subject-keys.js';
import { eventually } from '../end-to-end/quipu.harness.js';
import { startMongoDb } from '../servers/mongodb/mongodb.server.js';
import { type TestServer } from '../servers/test-server.js';

/** The driver's minimum time between two heartbeats. */
const HEARTBEAT_PAUSE_MS = 700;

const free = () => Promise.resolve('free' as const);

/** Server selection takes at most 5 s, an answer 10 s. */
const REFUSED_MS_MAX = 16_000;

interface DriverInside {
  readonly topology: {
    readonly s: {
      readonly servers: ReadonlyMap<
        string,
        {
          readonly monitor: {
            connection: { socket: Socket; closed: boolean };
            requestCheck(): void;
          };
        }
      >;
    };
  };
}

/**
 * Simulates a defect of the driver under load: a heartbeat between the end of its socket and the
 * `close` event is never answered.
 */
const hangHeartbeat = ({ db }: MongoDatabase): void => {
  const { topology } = db.client as unknown as DriverInside;
  for (const { monitor } of topology.s.servers.values()) {
    const { socket } = monitor.connection;
    socket.removeAllListeners('close');
    socket.destroy();
    monitor.requestCheck();
  }
};

describe('the adapters of MongoDB, when the server', () => {
  let server: TestServer;
  let database: MongoDatabase;
  let store: ReadStore;

  beforeAll(async () => {
    server = await startMongoDb();
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    database = await openMongoDatabase({ url: server.url });
    store = await openMongoReadStore({ database });
  });
  afterEach(async () => {
    await store.close();
    await database.close();
  });

  const commit = (position: bigint, name = 'usage'): Promise<void> =>
    store.commit({
      writes: [{ collection: name, key: `k${position}`, document: {}, position }],
      checkpoint: { name, position },
    });

  const unavailable = { name: 'ReadStoreError', code: 'store-unavailable' };

  /** Retries until the commit succeeds, as projections do. */
  const commitAtLast = async (position: bigint, name?: string): Promise<void> => {
    for (;;) {
      try {
        await commit(position, name);
        return;
      } catch (error) {
        expect(error).toMatchObject(unavailable);
        await sleep(50);
      }
    }
  };

  it('is down, fail, and recover when it is up', async () => {
    const keys = await mongoKeySet(database).open(Buffer.alloc(32), 'check');
    const encryptionKey = new Uint8Array(32);
    const answers = await openMongoAnswerStore({ database, encryptionKey });
    const request = { scope: 'user-7', key: 'k', body: new Uint8Array(), attempt: 'first' };
    await commit(1n);
    await server.kill();
    const startedAt = Date.now();
    await Promise.all([
      expect(commit(2n)).rejects.toMatchObject(unavailable),
      expect(store.get('usage', 'k1')).rejects.toMatchObject(unavailable),
      expect(answers.admit(request, free)).rejects.toMatchObject({ code: 'store-unavailable' }),
      expect(keys.open('user:1', 'email', 'AAAA')).rejects.toMatchObject({
        name: 'SubjectKeysUnavailableError',
      }),
    ]);
    expect(Date.now() - startedAt).toBeLessThan(REFUSED_MS_MAX);
    await server.restart();
    await commitAtLast(2n);
    expect(await store.checkpoint('usage')).toBe(2n);
    expect(await answers.admit(request, free)).toMatchObject({ outcome: 'started' });
    expect(await keys.open('user:1', 'email', 'AAAA')).toBeNull();
    await answers.close();
  });

  it('is down at the end of a request, store the end when it is up', async () => {
    const encryptionKey = new Uint8Array(32);
    const answers = await openMongoAnswerStore({ database, encryptionKey });
    const asked = (key: string) => ({ scope: 'user-7', key, body: new Uint8Array(), attempt: key });
    const started = async (key: string) => {
      const admission = await answers.admit(asked(key), free);
      if (admission.outcome !== 'started') throw new Error(`it was ${admission.outcome}`);
      return admission;
    };
    const keys = ['finished', 'abandoned', 'left'];
    const [finished, abandoned, left] = await Promise.all(keys.map(started));
    await server.kill();
    const ends = await Promise.all([
      finished?.finish({ status: 200, headers: {}, body: Buffer.from('whole') }),
      abandoned?.abandon(),
      left?.leave(),
    ]);
    expect(ends).toEqual(['later', undefined, undefined]);
    await server.restart();
    const charged = () => Promise.resolve('charged' as const);
    const outcomes = keys.map(async (key) => {
      let outcome = 'running';
      const isEnded = async () => {
        ({ outcome } = await answers.admit(asked(key), charged));
        return outcome !== 'running';
      };
      await eventually(isEnded, REFUSED_MS_MAX);
      return outcome;
    });
    expect(await Promise.all(outcomes)).toEqual(['replay', 'started', 'charged']);
    await answers.close();
  });

  it('is down, still close', async () => {
    const encryptionKey = new Uint8Array(32);
    const answers = await openMongoAnswerStore({ database, encryptionKey });
    const request = { scope: 'user-7', key: 'left running', body: new Uint8Array() };
    await answers.admit({ ...request, attempt: 'first' }, free);
    await server.kill();
    await expect(answers.close()).resolves.toBeUndefined();
    await expect(store.close()).resolves.toBeUndefined();
    await server.restart();
  });

  it('hangs, fail in time and recover when it continues', async () => {
    await commit(3n);
    server.freeze();
    const startedAt = Date.now();
    await expect(commit(4n)).rejects.toMatchObject(unavailable);
    await expect(store.checkpoint('usage')).rejects.toMatchObject(unavailable);
    expect(Date.now() - startedAt).toBeLessThan(2 * REFUSED_MS_MAX);
    server.thaw();
    await commitAtLast(5n);
    expect(await store.checkpoint('usage')).toBe(5n);
  });

  it('is lost to a driver that hangs, are served by a new client', async () => {
    await commit(6n);
    hangHeartbeat(database);
    await sleep(HEARTBEAT_PAUSE_MS);
    let isUp = true;
    const readers = Array.from({ length: 6 }, async () => {
      while (isUp) await store.checkpoint('usage').catch(() => (isUp = false));
    });
    // Connections lost during a request make the driver search for a server again.
    await sleep(100);
    await server.kill();
    await Promise.all(readers);
    await server.restart();
    await commitAtLast(8n);
    expect(await store.checkpoint('usage')).toBe(8n);
  });

  it('is killed under load, keep every acknowledged commit', async () => {
    let saved = 0n;
    const load = (async () => {
      for (let position = 1n; position <= 200n; position += 1n) {
        await commitAtLast(position, 'load');
        saved = position;
      }
    })();
    await eventually(() => saved > 0n);
    for (let kill = 0; kill < 3; kill += 1) {
      await sleep(100);
      const before = saved;
      await server.restart();
      const other = await openMongoDatabase({ url: server.url });
      const reader = await openMongoReadStore({ database: other });
      expect(await reader.checkpoint('load')).toBeGreaterThanOrEqual(before);
      expect(await reader.get('load', `k${before}`)).toBeDefined();
      await reader.close();
      await other.close();
    }
    await load;
    expect(await store.count('load')).toBe(200);
    expect(await store.checkpoint('load')).toBe(200n);
  });
});

describe('opening a MongoDB database', () => {
  it('rejects a malformed connection string without repeating its password', async () => {
    const opening = openMongoDatabase({ url: 'mongodb://ada:secret@/quipu' });
    await expect(opening).rejects.toMatchObject({ code: 'invalid-url' });
    await expect(opening).rejects.not.toThrow('secret');
  });

  it('fails when no server answers', async () => {
    const opening = openMongoDatabase({ url: 'mongodb://127.0.0.1:1/quipu' });
    await expect(opening).rejects.toMatchObject({
      name: 'MongoDatabaseError',
      code: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('takes the name of the database from the path, and rejects a newer layout', async () => {
    const server = await startMongoDb();
    try {
      const named = await openMongoDatabase({ url: `${server.url}/named?appName=x` });
      const unnamed = await openMongoDatabase({ url: server.url });
      expect([named, unnamed].map(({ db }) => db.databaseName)).toEqual(['named', 'quipu']);
      const installation = unnamed.db.collection<{ _id: string }>('installation');
      await installation.updateOne({ _id: 'layout' }, { $set: { version: 99 } });
      await Promise.all([named.close(), unnamed.close(), unnamed.close()]);
      await expect(openMongoDatabase({ url: server.url })).rejects.toMatchObject({
        code: 'unreadable',
        message: expect.stringContaining('has version 99, this program reads 1'),
      });
    } finally {
      await server.stop();
    }
  });
});
