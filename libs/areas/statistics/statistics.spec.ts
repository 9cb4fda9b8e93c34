import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { batchEvents } from '#events/batches/batch.events.js';
import { accountEvents } from '#events/billing/account.events.js';
import { rigEvents } from '#events/rigs/rig.events.js';
import { statisticsEvents } from '#events/statistics/worker.events.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FaultyReadStore } from '#platform/runtime/faulty-stores.fake.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { ProjectionHost } from '#platform/runtime/projections/projection-host.js';
import { countedPlaces } from '#platform/runtime/history/log-places.js';
import { Projections } from '#platform/runtime/projections/projections.js';
import { movableClock, silent } from '#platform/runtime/stock.fixture.js';
import { platformCharges } from '#projections/statistics/platform-charges.projection.js';
import {
  PlatformStatisticsHandler,
  PlatformStatisticsQuery,
} from './platform-statistics.handler.js';
import {
  RecomputeStatisticsHandler,
  RecomputeStatisticsQuery,
} from './recompute-statistics.handler.js';
import { statisticsProjections } from './statistics.projections.js';

const adjustment = {
  adjustmentId: 'note-1',
  adjustmentNumber: 1,
  kind: 'credit_note',
  refersTo: { month: '2026-02', holdId: null },
  rerating: null,
  reason: 'outage',
  availableMicroUsd: '0',
};

const metadata = { version: 1, correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'x' };

const open = async (groupMin: number) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-statistics-'));
  const clock = movableClock();
  const eventStore = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock });
  const readStore = new FaultyReadStore();
  const codec = new EventCodec([
    ...accountEvents,
    ...batchEvents,
    ...rigEvents,
    ...statisticsEvents,
  ]);
  const all = statisticsProjections;
  const host = new ProjectionHost(all, eventStore, readStore, codec, clock, silent);
  const projections = new Projections(host, eventStore, readStore);
  await host.start();
  const settings = { groupMin, sampleEveryMs: 300_000 };
  const statistics = new PlatformStatisticsHandler(projections, eventStore, clock, settings);
  const recompute = new RecomputeStatisticsHandler(
    projections,
    eventStore,
    countedPlaces(() => eventStore.head()),
    codec,
    settings,
  );
  let count = 0;
  const record = async (type: string, at: string, data: object): Promise<bigint> => {
    clock.nowMs = Date.parse(at);
    count += 1;
    const id = `00000000-0000-4000-8000-${count.toString().padStart(12, '0')}`;
    const event = { id, type, data, metadata };
    return (await eventStore.append(`any-${count}`, [event], 'no-stream')).position;
  };
  return {
    clock,
    readStore,
    projections,
    adjust: (at: string, accountId: string, microUsd: number) =>
      record('ChargeAdjusted', at, {
        ...adjustment,
        accountId,
        amountMicroUsd: String(microUsd),
        adjustedAt: at,
      }),
    charge: (at: string, accountId: string, microUsd: number, more: object = {}) =>
      record('HoldCaptured', at, {
        accountId,
        holdId: '5b0e9a52-8f0c-4a37-9d3c-2f6f6f0f3f61',
        purpose: 'chat_completion',
        rig: 'knots',
        lines: [],
        usageSource: 'provider',
        excess: [],
        outcome: 'completed',
        evidence: {},
        placedAt: at,
        capturedAt: at,
        group: 'inference',
        rateCardVersion: 1,
        amountMicroUsd: String(microUsd),
        releasedMicroUsd: '0',
        availableMicroUsd: '0',
        ...more,
      }),
    sample: (at: string, node: string, readings: object = {}) =>
      record('WorkerSampled', at, {
        node,
        isOnline: true,
        units: null,
        tflops: null,
        brand: null,
        temperatureC: null,
        powerW: null,
        sampledAt: at,
        ...readings,
      }),
    figures: async (timespan: string, asOf?: AsOf) =>
      (await statistics.execute(new PlatformStatisticsQuery(timespan, asOf))).figures,
    recompute: (position: bigint | undefined, ...timespans: readonly string[]) =>
      recompute.execute(new RecomputeStatisticsQuery(position, timespans)),
    close: async () => {
      await host.stop();
      await eventStore.close();
      await rm(folder, { recursive: true });
    },
  };
};

type World = Awaited<ReturnType<typeof open>>;

describe('the statistics of the platform', () => {
  let world: World;

  beforeEach(async () => {
    world = await open(2);
  });

  afterEach(() => world.close());

  it('are nothing, and no number is invented, before the first event', async () => {
    expect(await world.figures('1h')).toEqual({
      nodes: 0,
      nodesOnline: 0,
      units: null,
      tflops: null,
      temperatureC: null,
      powerW: null,
      inferences24h: 0,
      revenueUsd: 0,
      points: expect.any(Array),
      revenueTrendUsd: Array.from({ length: 12 }, () => 0),
      brands: [],
      temperatureTrendC: Array.from({ length: 12 }, () => null),
      powerTrendW: Array.from({ length: 12 }, () => null),
    });
  });

  it('sum the charges of full slots, and publish no figure of one account', async () => {
    await world.charge('2026-03-01T10:00:10.000Z', '7', 1_500_000);
    await world.charge('2026-03-01T10:06:00.000Z', '7', 250_000);
    await world.charge('2026-03-01T10:09:59.000Z', '8', 250_000, { group: 'compute' });
    await world.charge('2026-03-01T10:10:01.000Z', '9', 9_000_000);
    world.clock.nowMs = Date.parse('2026-03-01T10:14:00.000Z');
    const figures = await world.figures('1h');
    expect(figures.revenueUsd).toBe(2);
    expect(figures.inferences24h).toBe(2);
    // The total less the second point would give the first one.
    expect(figures.revenueTrendUsd.slice(-2)).toEqual([null, null]);
    expect(figures.nodesOnline).toBe(1);
  });

  it('read whole days as days, and the ends of the window as slots', async () => {
    for (const account of ['7', '8']) {
      await world.charge('2026-01-01T23:59:59.000Z', account, 1);
      await world.charge('2026-01-02T00:00:00.000Z', account, 10);
      await world.charge('2026-01-30T12:00:00.000Z', account, 100);
      await world.charge('2026-02-01T00:04:59.000Z', account, 1_000);
      await world.charge('2026-02-01T00:05:00.000Z', account, 10_000);
    }
    world.clock.nowMs = Date.parse('2026-02-01T00:07:00.000Z');
    expect((await world.figures('30d')).revenueUsd).toBe(0.0022);
    expect((await world.figures('31d')).revenueUsd).toBe(0.002222);
    world.clock.nowMs = Date.parse('2026-02-01T00:10:00.000Z');
    expect((await world.figures('30d')).revenueUsd).toBe(0.0222);
  });

  it('subtract what was given back, when it was', async () => {
    const at = '2026-03-01T10:00:00.000Z';
    await world.charge(at, '7', 5_000_000);
    await world.charge(at, '8', 5_000_000);
    await world.adjust(at, '7', 500_000);
    world.clock.nowMs = Date.parse('2026-03-01T10:05:00.000Z');
    const { revenueUsd, inferences24h } = await world.figures('1h');
    expect({ revenueUsd, inferences24h }).toEqual({ revenueUsd: 9.5, inferences24h: 2 });
  });

  it('count the completed lines of a batch, not its charge', async () => {
    const at = '2026-03-01T10:00:00.000Z';
    await world.charge(at, '7', 5, { purpose: 'batch' });
    await world.charge(at, '8', 5);
    world.clock.nowMs = Date.parse('2026-03-01T10:05:00.000Z');
    expect((await world.figures('1h')).inferences24h).toBe(1);
  });

  it('have the reports of workers, and nothing of workers that report none', async () => {
    const at = '2026-03-01T10:00:00.000Z';
    const h200 = { units: 8, tflops: 500.5, brand: 'NVIDIA', temperatureC: 60, powerW: 2_000 };
    await world.sample(at, 'one', h200);
    await world.sample(at, 'two', { ...h200, temperatureC: 70, powerW: null });
    await world.sample(at, 'three', { brand: 'AMD' });
    await world.sample(at, 'four', { isOnline: false, units: 4, tflops: 1, temperatureC: 99 });
    world.clock.nowMs = Date.parse('2026-03-01T10:05:00.000Z');
    const figures = await world.figures('1h');
    expect(figures).toMatchObject({ nodes: 4, nodesOnline: 3, units: 16, tflops: 1_001 });
    expect(figures).toMatchObject({ temperatureC: 65, powerW: null });
    expect(figures.brands).toEqual([{ brand: 'NVIDIA', nodes: 2 }]);
    expect(figures.temperatureTrendC.at(-1)).toBeCloseTo((60 + 70 + 99) / 3, 2);
    expect(figures.powerTrendW.at(-1)).toBeNull();
  });

  it('forget a worker that is silent, and a rig that is idle', async () => {
    await world.sample('2026-03-01T10:00:00.000Z', 'one');
    await world.charge('2026-03-01T10:00:00.000Z', '7', 1);
    world.clock.nowMs = Date.parse('2026-03-01T11:00:01.000Z');
    expect(await world.figures('1h')).toMatchObject({ nodes: 2, nodesOnline: 0 });
    world.clock.nowMs = Date.parse('2026-04-01T10:00:00.000Z');
    expect(await world.figures('1h')).toMatchObject({ nodes: 0, nodesOnline: 0 });
  });

  it('are the same from zero, at every position', async () => {
    const positions: bigint[] = [];
    for (let minute = 10; minute < 40; minute += 3) {
      const at = `2026-03-01T10:${minute}:00.000Z`;
      positions.push(await world.charge(at, String(minute % 4), minute));
      positions.push(await world.sample(at, `node-${minute % 3}`, { temperatureC: minute }));
    }
    for (const position of positions) {
      const { figures, differences, ...result } = await world.recompute(position, '1h', '7d');
      expect(differences).toEqual([]);
      expect(figures).toBeGreaterThan(50);
      expect(result).toMatchObject({ position, timespans: ['1h', '7d'] });
    }
  });

  it('differ from zero where a read model was changed', async () => {
    await world.charge('2026-03-01T10:00:00.000Z', '7', 5);
    await world.charge('2026-03-01T10:01:00.000Z', '8', 5);
    const head = await world.charge('2026-03-01T10:06:00.000Z', '9', 5);
    await world.projections.get(platformCharges, 'none');
    const key = 'slot/2026-03-01T10:00:00.000Z';
    const document = { charged: '11', inferences: 2, accounts: ['7', '8'] };
    const collection = 'platform-charges.v1.g1';
    await world.readStore.commit({ writes: [{ collection, key, document, position: head }] });
    const { differences } = await world.recompute(undefined, '1h');
    expect(differences).toEqual([
      { timespan: '1h', figure: 'revenueUsd', served: 0.000011, recomputed: 0.00001 },
      { timespan: '1h', figure: 'revenueTrendUsd.11', served: 0.000011, recomputed: 0.00001 },
    ]);
  });
});
