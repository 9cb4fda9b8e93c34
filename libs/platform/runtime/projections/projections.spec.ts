import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { systemClock } from '#platform/kernel/clock.js';
import { type AnyProjection, type ProjectionTo } from '#platform/kernel/projection.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { CommandRunner } from '../commands/command-runner.js';
import { FaultyReadStore } from '../faulty-stores.fake.js';
import { Generations } from './generations.js';
import { ProjectionHost } from './projection-host.js';
import { Projections } from './projections.js';
import {
  add,
  anyContext,
  type WarehouseView,
  warehouses,
  silent,
  stockCodec,
  stockDecider,
  stockEvents,
  take,
} from '../stock.fixture.js';

/** The same question, answered otherwise: every warehouse starts with a thousand. */
const warehousesV2: typeof warehouses = {
  ...warehouses,
  version: 2,
  initial: () => ({ pieces: 1_000, events: 0 }),
};

describe('generations', () => {
  it('are claimed by one rebuild each, and not where a new version may be building', async () => {
    const generations = new Generations(new FaultyReadStore());
    const claim = async () => (await generations.claim(warehouses)).generation;
    const first = await generations.first(warehouses);
    const claimed = await Promise.all([claim(), claim(), claim(), claim()]);
    expect(new Set([first.generation, ...claimed]).size).toBe(5);
  });

  it('serve in the order of their numbers, whichever finishes last', async () => {
    const generations = new Generations(new FaultyReadStore());
    await generations.serve('warehouses', { version: 1, generation: 3 }, null);
    await generations.serve('warehouses', { version: 1, generation: 2 }, null);
    expect(await generations.serving('warehouses')).toMatchObject({ generation: 3 });
  });
});

describe('projections on the embedded stores', () => {
  let folder = '';
  const closing: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-projections-'));
  });

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await rm(folder, { recursive: true });
  });

  /** One process: its own handles on the files, as another process would have them. */
  const openProcess = async (...list: readonly AnyProjection[]) => {
    const eventStore: EventStore = await openSqliteEventStore({
      file: path.join(folder, 'events.db'),
    });
    const readStore: ReadStore = await openSqliteReadStore({ file: path.join(folder, 'views.db') });
    const codec = stockCodec();
    const host = new ProjectionHost(list, eventStore, readStore, codec, systemClock, silent);
    const projections = new Projections(host, eventStore, readStore);
    const runner = new CommandRunner({
      decider: stockDecider,
      eventStore,
      codec: codec.for(stockEvents),
    });
    const end = async () => {
      await host.stop();
      await eventStore.close();
      await readStore.close();
    };
    closing.push(end);
    const fill = async (warehouse: string, events: number) => {
      const commands = Array.from({ length: events }, () => add(warehouse, 1));
      await Promise.all(
        commands.map((one) => runner.run(`warehouse-${warehouse}`, one, anyContext())),
      );
    };
    const piecesOn = async (
      warehouse: string,
      projection: ProjectionTo<WarehouseView> = warehouses,
    ) => (await projections.get(projection, warehouse)).document?.pieces;
    return { eventStore, readStore, host, projections, runner, fill, piecesOn, end };
  };

  const collectionsOf = async (readStore: ReadStore, ...generations: readonly string[]) =>
    Promise.all(generations.map((one) => readStore.count(`warehouses.${one}`)));

  it('answer with the caller’s own write, whichever process made it', async () => {
    const one = await openProcess(warehouses);
    const other = await openProcess(warehouses);
    await Promise.all([one.host.start(), other.host.start()]);
    const { position } = await one.runner.run('warehouse-a', add('a', 3), anyContext());
    expect(await one.piecesOn('a')).toBe(3);
    const found = await other.projections.get(warehouses, 'a');
    expect(found).toEqual({ document: { pieces: 3, events: 1 }, position });
    expect(await other.projections.count(warehouses, '')).toBe(1);
    expect((await other.projections.list(warehouses, {})).documents).toHaveLength(1);
  });

  it('come out the same from two processes that build them side by side', async () => {
    const one = await openProcess(warehouses);
    const other = await openProcess(warehouses);
    await Promise.all([one.host.start(), other.host.start()]);
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([one.fill('a', 5), other.fill('b', 5), one.fill('c', 1)]);
    }
    await one.runner.run('warehouse-c', take('c', 20), anyContext());
    for (const { piecesOn } of [one, other]) {
      expect(await Promise.all(['a', 'b', 'c'].map((warehouse) => piecesOn(warehouse)))).toEqual([
        100, 100, 0,
      ]);
    }
  });

  it('are the same after a rebuild as they were live', async () => {
    const { host, projections, readStore, fill, piecesOn } = await openProcess(warehouses);
    await host.start();
    await fill('a', 700);
    await fill('b', 30);
    const live = await projections.list(warehouses, {});
    const positions: bigint[] = [];
    await host.rebuild('warehouses', (position) => positions.push(position));
    expect(await projections.list(warehouses, {})).toEqual(live);
    expect(positions.at(-1)).toBe(730n);
    expect(await collectionsOf(readStore, 'v1.g1', 'v1.g2')).toEqual([0, 2]);
    await fill('a', 1);
    expect(await piecesOn('a')).toBe(701);
  });

  it('are switched in every process, and no query sees the switch', async () => {
    const one = await openProcess(warehouses);
    const other = await openProcess(warehouses);
    const tool = await openProcess(warehouses);
    await Promise.all([one.host.start(), other.host.start()]);
    await one.fill('a', 50);
    expect(await other.piecesOn('a')).toBe(50);
    const progress = { rebuilt: false };
    const rebuild = tool.host.rebuild('warehouses').then(() => (progress.rebuilt = true));
    while (!progress.rebuilt) {
      expect(await one.piecesOn('a')).toBe(50);
      expect(await other.piecesOn('a')).toBe(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await rebuild;
    expect(await one.piecesOn('a')).toBe(50);
    await other.fill('a', 1);
    expect(await Promise.all([one, other].map(({ piecesOn }) => piecesOn('a')))).toEqual([51, 51]);
    for (const { host } of [one, other]) {
      expect(await host.status()).toMatchObject([{ version: 1, generation: 2, lag: '0' }]);
    }
    await eventually(async () => (await collectionsOf(tool.readStore, 'v1.g1'))[0] === 0);
  });

  it('survive two rebuilds at once', async () => {
    const server = await openProcess(warehouses);
    const tools = [await openProcess(warehouses), await openProcess(warehouses)];
    await server.host.start();
    await server.fill('a', 300);
    await Promise.all(tools.map(({ host }) => host.rebuild('warehouses')));
    expect(await server.piecesOn('a')).toBe(300);
    expect(await server.host.stored()).toMatchObject([{ lag: 0n }]);
  });

  it('stay as they were when a rebuild is broken off', async () => {
    const { host, readStore, fill, piecesOn } = await openProcess(warehouses);
    await host.start();
    await fill('a', 5);
    expect(await piecesOn('a')).toBe(5);
    const breakOff = () => {
      throw new Error('that is enough');
    };
    await expect(host.rebuild('warehouses', breakOff)).rejects.toThrow('that is enough');
    await expect(host.rebuild('boxes')).rejects.toThrow('no projection is called boxes');
    expect(await collectionsOf(readStore, 'v1.g1', 'v1.g2')).toEqual([1, 0]);
    expect(await piecesOn('a')).toBe(5);
  });

  it('are not replaced by a build that an event stops', async () => {
    const first = await openProcess(warehouses);
    await first.host.start();
    await first.fill('a', 5);
    expect(await first.piecesOn('a')).toBe(5);
    const broken = await openProcess({
      ...warehouses,
      project: () => {
        throw new Error('a defect');
      },
    });
    await expect(broken.host.rebuild('warehouses')).rejects.toThrow(
      'stopped after position 0: a defect',
    );
    expect(await first.piecesOn('a')).toBe(5);
  });

  it('serve a new version once it has caught up, beside the old one', async () => {
    const old = await openProcess(warehouses);
    await old.host.start();
    await old.fill('a', 600);
    expect(await old.piecesOn('a')).toBe(600);
    const next = await openProcess(warehousesV2);
    await next.host.start();
    expect(await next.piecesOn('a', warehousesV2)).toBe(1_600);
    await eventually(async () => (await next.host.stored())[0]?.serving?.version === 2);
    await old.fill('a', 1);
    expect(await old.piecesOn('a')).toBe(601);
    await Promise.all([old.end(), next.end()]);
    closing.splice(0);
    const restarted = await openProcess(warehousesV2);
    await restarted.host.start();
    expect(await collectionsOf(restarted.readStore, 'v1.g1', 'v2.g2')).toEqual([0, 1]);
  });

  it('do not serve a build that was stopped half-way, and go on with it later', async () => {
    const first = await openProcess(warehouses);
    await first.fill('a', 2_000);
    await first.host.start();
    await first.host.stop();
    expect(await first.host.stored()).toMatchObject([{ serving: null }]);
    const second = await openProcess(warehouses);
    await second.host.start();
    expect(await second.piecesOn('a')).toBe(2_000);
    await eventually(async () => (await second.host.stored())[0]?.serving?.generation === 1);
  });

  it('that have stopped show themselves', async () => {
    const { host, fill } = await openProcess({
      ...warehouses,
      project: () => {
        throw new Error('a defect');
      },
    });
    await fill('a', 1);
    await host.start();
    await eventually(async () => (await host.status())[0]?.phase === 'stopped');
    expect(await host.status()).toMatchObject([{ failure: 'a defect', lag: '1' }]);
  });

  it('let a caller whose write they cannot show wait, then fail', async () => {
    const { host, projections, fill } = await openProcess({
      ...warehouses,
      project: () => {
        throw new Error('a defect');
      },
    });
    await fill('a', 1);
    await host.start();
    await expect(projections.get(warehouses, 'a')).rejects.toMatchObject({
      name: 'ProjectionLaggingError',
    });
    await expect(projections.get({ ...warehouses, name: 'boxes' }, 'a')).rejects.toThrow(
      RangeError,
    );
  });
});
