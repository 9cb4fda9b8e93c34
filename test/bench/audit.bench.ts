/**
 * Measures the transparency log: `npm run audit -- [leaves]`. CPU time counts, since the
 * machine may be shared.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TileBuilder } from '#platform/audit/tile-builder.js';
import { POSITION_BYTES, tileKey, TILES, TREE } from '#platform/audit/tile-documents.js';
import { TreeKeeper } from '#platform/audit/tree-keeper.js';
import { TreeReader } from '#platform/audit/tree-reader.js';
import { EventHasher, storedFieldsOf } from '#platform/event-store/event.chain.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { type Figure } from './figure.js';

const LEAVES_DEFAULT = 10_000_000;
const APPENDED = 400_000;
const KEPT = 50_000;
const BATCH = 4_096;
const PROOFS = 2_000;
const TILE_LEAVES = 256;

const MICROS_PER_SECOND = 1e6;
const MICROS_PER_MS = 1e3;

/** About 700 bytes with its metadata, as the charge of a chat. */
const chargeLike = (position: number): RecordedEvent => {
  const requestId = randomUUID();
  return {
    position: BigInt(position),
    revision: BigInt(position),
    stream: 'account-1',
    id: requestId,
    type: 'HoldCaptured',
    recordedAt: '2026-11-22T00:00:00.000Z',
    data: { holdId: requestId, amountMicroUsd: '1234', evidence: 'x'.repeat(350) },
    metadata: {
      version: 1,
      correlationId: requestId,
      causationId: requestId,
      requestId,
      actor: 'user:1',
    },
  };
};

const cpuMicros = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(since);
  return user + system;
};

/** Leaf hashes of encoded events, and the tree over them with its tiles. */
const appendFigures = (): readonly Figure[] => {
  const hasher = new EventHasher();
  const fields = Array.from({ length: 1_000 }, (_, index) => storedFieldsOf(chargeLike(index + 1)));
  const one = fields[0];
  const bytes = one ? hasher.encode(one).length : 0;
  const builder = new TileBuilder();
  const run = (count: number): void => {
    for (let at = 0; at < count; at += 1) {
      const event = fields[at % fields.length];
      if (event) builder.append(hasher.leafHash(event));
    }
  };
  run(APPENDED / 10);
  const since = process.threadCpuUsage();
  run(APPENDED);
  const perSecond = (APPENDED / cpuMicros(since)) * MICROS_PER_SECOND;
  const target = { atLeast: 200_000 };
  const name = `append of events of ${bytes} bytes`;
  return [{ name, value: perSecond, unit: 'leaves a CPU second', target }];
};

/** The whole projection: events of different requests, tiles and documents in SQLite. */
const keepFigures = async (readStore: ReadStore): Promise<readonly Figure[]> => {
  const keeper = new TreeKeeper(readStore);
  await keeper.checkpoint();
  const events = Array.from({ length: KEPT }, (_, index) => chargeLike(index + 1));
  const since = process.threadCpuUsage();
  for (let at = 0; at < events.length; at += BATCH) {
    const batch = events.slice(at, at + BATCH);
    const position = batch.at(-1)?.position ?? 0n;
    await keeper.handle({ events: batch, position, caughtUp: false });
  }
  const perSecond = (KEPT / cpuMicros(since)) * MICROS_PER_SECOND;
  return [
    {
      name: 'projection of events of a request each',
      value: perSecond,
      unit: 'events a CPU second',
    },
  ];
};

/** Fills a read store with a tree of random leaves. */
const grow = async (readStore: ReadStore, leaves: number): Promise<void> => {
  const builder = new TileBuilder();
  let position = 0;
  while (position < leaves) {
    const writes = [];
    for (let at = 0; at < BATCH && position < leaves; at += 1) {
      position += 1;
      for (const tile of builder.append(randomBytes(32))) {
        writes.push(tileWrite(tile, position));
      }
    }
    writes.push(...builder.takePartial().map((tile) => tileWrite(tile, position)));
    await readStore.commit({ writes, checkpoint: { name: TREE, position: BigInt(position) } });
  }
};

type Tile = ReturnType<TileBuilder['takePartial']>[number];

const tileWrite = (tile: Tile, position: number) => {
  const width = tile.hashes.length / 32;
  const first = tile.index * TILE_LEAVES + 1;
  const positions = Buffer.alloc(width * POSITION_BYTES);
  for (let at = 0; at < width; at += 1) {
    positions.writeBigInt64BE(BigInt(first + at), at * POSITION_BYTES);
  }
  const document = {
    hashes: tile.hashes.toString('base64'),
    ...(tile.level === 0 && { positions: positions.toString('base64') }),
  };
  return { collection: TILES, key: tileKey(tile), document, position: BigInt(position) };
};

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const proofFigures = async (readStore: ReadStore, leaves: number): Promise<readonly Figure[]> => {
  const spent: number[] = [];
  for (let at = 0; at < PROOFS; at += 1) {
    // Nothing is cached: each proof reads its tiles.
    const reader = new TreeReader(readStore);
    const leaf = Math.floor((at * leaves) / PROOFS);
    const since = process.threadCpuUsage();
    await reader.inclusion(leaf, leaves);
    spent.push(cpuMicros(since) / MICROS_PER_MS);
  }
  spent.sort((one, other) => one - other);
  const of = `proof in ${leaves} leaves, nothing cached`;
  return [
    {
      name: `${of}, median`,
      value: quantile(spent, 0.5),
      unit: 'ms of CPU',
      target: { atMost: 5 },
    },
    { name: `${of}, 99 %`, value: quantile(spent, 0.99), unit: 'ms of CPU', target: { atMost: 5 } },
  ];
};

const print = (figures: readonly Figure[]): void => {
  for (const { name, value, unit, target } of figures) {
    const { atLeast, atMost } = target ?? {};
    const bound = atLeast === undefined ? atMost && `at most ${atMost}` : `at least ${atLeast}`;
    console.log(`${name}: ${value.toFixed(value > 100 ? 0 : 3)} ${unit}`, bound ?? '');
  }
};

const main = async (leaves: number): Promise<void> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-audit-bench-'));
  try {
    print(appendFigures());
    const kept = await openSqliteReadStore({ file: path.join(folder, 'kept.db') });
    print(await keepFigures(kept));
    await kept.close();
    const grown = await openSqliteReadStore({ file: path.join(folder, 'grown.db') });
    await grow(grown, leaves);
    print(await proofFigures(grown, leaves));
    await grown.close();
  } finally {
    await rm(folder, { recursive: true });
  }
};

await main(Number(process.argv[2] ?? LEAVES_DEFAULT));
