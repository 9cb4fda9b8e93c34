import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventHasher, storedFieldsOf } from '#platform/event-store/event.chain.js';
import {
  counted,
  event,
  follow,
  metadata,
  readLog,
} from '#platform/event-store/event-store.fixture.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { FaultyReadStore } from '#platform/runtime/faulty-stores.fake.js';
import { Frontier } from './frontier.js';
import { EMPTY_ROOT, isConsistent, isIncluded } from './merkle.js';
import { tileKey, TILES } from './tile-documents.js';
import { TreeCheck } from './tree-check.js';
import { TreeKeeper } from './tree-keeper.js';
import { MissingTileError, TreeReader } from './tree-reader.js';

/** Two full tiles and a part of a third. */
const MANY = 521;

describe('the tree of a log', () => {
  let folder: string;
  let file: string;
  let log: EventStore;
  let readStore: FaultyReadStore;
  let reader: TreeReader;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-tree-'));
    file = path.join(folder, 'events.db');
    log = await openSqliteEventStore({ file });
    readStore = new FaultyReadStore();
    reader = new TreeReader(readStore);
  });

  afterEach(async () => {
    await log.close();
    await rm(folder, { recursive: true });
  });

  const append = async (count: number): Promise<void> => {
    await log.append('account-ada', counted(count), 'any');
  };

  /** One life of the keeper, up to the head. */
  const keep = async (): Promise<void> => {
    const keeper = new TreeKeeper(readStore);
    const after = (await keeper.checkpoint()) ?? 0n;
    await follow(log, { after }, async (_, batch) => {
      await keeper.handle(batch);
      return batch.caughtUp;
    });
  };

  const check = async () => new TreeCheck(log, readStore).check({ upTo: await log.head() });

  const damage = (statement: string): void => {
    const database = new DatabaseSync(file);
    database.exec('DROP TRIGGER events_are_kept; DROP TRIGGER events_are_fixed');
    database.exec(statement);
    database.close();
  };

  const leafHashes = async (): Promise<readonly Buffer[]> => {
    const hasher = new EventHasher();
    return (await readLog(log)).map((one) => hasher.leafHash(storedFieldsOf(one)));
  };

  const rootOf = (leaves: readonly Buffer[]): Buffer => {
    const frontier = new Frontier();
    for (const leaf of leaves) frontier.push(leaf);
    return frontier.root();
  };

  it('has a leaf for every event, and the roots of all sizes', async () => {
    await append(MANY);
    await keep();
    const leaves = await leafHashes();
    expect(await reader.extent()).toEqual({ size: MANY, position: BigInt(MANY) });
    for (const size of [0, 1, 2, 255, 256, 257, 512, 520, MANY]) {
      expect(await reader.root(size)).toEqual(rootOf(leaves.slice(0, size)));
    }
    await expect(reader.root(MANY + 1)).rejects.toThrow(MissingTileError);
  });

  it('writes a tile above the leaves only when it has another hash', async () => {
    const written = async (count: number): Promise<readonly string[]> => {
      await append(count);
      await keep();
      const { writes = [] } = readStore.committed.at(-1) ?? {};
      return writes.filter(({ collection }) => collection === TILES).map(({ key }) => key);
    };
    const [first, second] = [tileKey({ level: 0, index: 0 }), tileKey({ level: 0, index: 1 })];
    const above = tileKey({ level: 1, index: 0 });
    expect(await written(255)).toEqual([first]);
    expect(await written(2)).toEqual([first, second, above]);
    expect(await written(1)).toEqual([second]);
  });

  it('proves every leaf and every older tree', async () => {
    await append(MANY);
    await keep();
    const leaves = await leafHashes();
    const size = MANY - 2;
    const root = rootOf(leaves.slice(0, size));
    for (const index of [0, 1, 7, 254, 255, 256, 511, 512, size - 1]) {
      const proof = await reader.inclusion(index, size);
      const leafHash = leaves[index] ?? EMPTY_ROOT;
      expect(isIncluded({ index, size, leafHash, proof, root })).toBe(true);
      const oldRoot = rootOf(leaves.slice(0, index));
      const consistency = await reader.consistency(index, size);
      expect(isConsistent({ oldSize: index, oldRoot, size, root, proof: consistency })).toBe(true);
    }
  });

  it('continues over restarts, in the middle of a tile and at its end', async () => {
    for (const count of [3, 253, 1, 255, MANY]) {
      await append(count);
      await keep();
      expect(await check()).toMatchObject({ damaged: [], damagedTiles: [] });
    }
    const { size } = await reader.extent();
    expect(size).toBe(512 + MANY);
    expect(await reader.root(size)).toEqual(rootOf(await leafHashes()));
  });

  it.each(['fail-before', 'fail-after', 'fail-halfway', 'twice'] as const)(
    'comes out right when its second write meets %s',
    async (fault) => {
      await append(200);
      await keep();
      await append(MANY);
      readStore.commits.plan(fault);
      await keep().catch(() => keep());
      await keep();
      expect(await check()).toMatchObject({ leaves: 200 + MANY, damaged: [], damagedTiles: [] });
      expect(await reader.root(200 + MANY)).toEqual(rootOf(await leafHashes()));
    },
  );

  it('has tiles, and parts of tiles that have grown since', async () => {
    await append(MANY);
    await keep();
    const leaves = Buffer.concat([...(await leafHashes())]);
    expect(await reader.hashes({ level: 0, index: 1 }, 256)).toEqual(
      leaves.subarray(256 * 32, 512 * 32),
    );
    expect(await reader.hashes({ level: 0, index: 2 }, 3)).toEqual(
      leaves.subarray(512 * 32, 515 * 32),
    );
    const roots = await reader.hashes({ level: 1, index: 0 }, 2);
    expect(roots.subarray(0, 32)).toEqual(await reader.root(256));
    await expect(reader.hashes({ level: 0, index: 2 }, 10)).rejects.toThrow(MissingTileError);
  });

  it('finds the leaves of a request, and the leaf at a position', async () => {
    const own = { ...metadata, requestId: '0198c0de-0000-7000-8000-000000000001' };
    await append(300);
    await log.append('account-bob', [{ ...event(), metadata: own }], 'any');
    await keep();
    await log.append('job-1', [event(), { ...event(), metadata: own }], 'any');
    await keep();
    expect(await reader.leavesOf(own.requestId)).toEqual([300, 302]);
    expect(await reader.leavesOf('0198c0de')).toEqual([]);
    expect(await reader.leafAt(301n, 303)).toMatchObject({ index: 300, position: 301n });
    expect(await reader.leafAt(304n, 303)).toBeUndefined();
    expect(await reader.leafAt(303n, 302)).toBeUndefined();
  });

  it('names changed, missing and inserted events, and continues', async () => {
    await append(9);
    await keep();
    damage(`UPDATE events SET recorded_at = recorded_at + 1 WHERE position IN (2, 9);
            DELETE FROM events WHERE position = 4;
            UPDATE events SET body = x'' WHERE position = 6`);
    const report = await check();
    expect(
      report.damaged.map(({ position, stream, reason }) => [position, stream, reason]),
    ).toEqual([
      [2n, 'account-ada', 'it differs from the appended event'],
      [4n, null, 'it is missing'],
      [6n, 'account-ada', expect.stringContaining('it cannot be read')],
      [9n, 'account-ada', 'it differs from the appended event'],
    ]);
    expect(report.firstDifference).toMatchObject({ leaf: 1, position: 2n });
    expect(await readLog(log, { onDamaged: () => undefined })).toHaveLength(7);
  });

  it('names a tail that is missing, and a checkpoint that the log contradicts', async () => {
    await append(5);
    await keep();
    const three = { size: 3, root: await reader.root(3) };
    const five = { size: 5, root: await reader.root(5) };
    damage('DELETE FROM events WHERE position > 3');
    const report = await new TreeCheck(log, readStore).check({
      upTo: 5n,
      checkpoints: [three, five],
    });
    expect(report.damaged.map(({ position }) => position)).toEqual([4n, 5n]);
    expect(report.contradicted).toEqual([five]);
  });

  it('compares the log with a checkpoint also where the tree is not built', async () => {
    await append(5);
    await keep();
    const five = { size: 5, root: await reader.root(5) };
    const four = { size: 4, root: five.root };
    await append(2);
    const unbuilt = new TreeCheck(log, new FaultyReadStore());
    const report = await unbuilt.check({ upTo: await log.head(), checkpoints: [four, five] });
    expect(report).toMatchObject({ events: 5, leaves: 0, contradicted: [four], damaged: [] });
  });

  it('names a tile whose hashes are not those below it', async () => {
    await append(MANY);
    await keep();
    const name = { level: 1, index: 0 };
    const hashes = Buffer.from(await reader.hashes(name, 2));
    hashes.writeUInt8(hashes.readUInt8(40) ^ 1, 40);
    const document = { hashes: hashes.toString('base64') };
    const write = { collection: TILES, key: tileKey(name), document, position: BigInt(MANY + 1) };
    await readStore.commit({ writes: [write] });
    expect(await check()).toMatchObject({ damaged: [], damagedTiles: [tileKey(name)] });
  });

  it('checks up to the last event that has a leaf', async () => {
    await append(5);
    await keep();
    await append(4);
    expect(await check()).toMatchObject({ events: 5, leaves: 5, position: 5n, damaged: [] });
  });

  it('is empty for an empty log', async () => {
    await keep();
    expect(await reader.extent()).toEqual({ size: 0, position: 0n });
    expect(await reader.root(0)).toEqual(EMPTY_ROOT);
    expect(await check()).toMatchObject({ leaves: 0, hash: null, firstDifference: null });
  });
});
