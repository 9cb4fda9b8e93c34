import { describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { CommandRunner } from '../commands/command-runner.js';
import { ProjectionHost } from '../projections/projection-host.js';
import { Projections } from '../projections/projections.js';
import {
  add,
  anyContext,
  movableClock,
  silent,
  stockCodec,
  stockDecider,
  stockEvents,
  warehouses,
} from '../stock.fixture.js';
import { AsOfError } from './as-of.js';
import { HistoryMissingError } from './past-documents.js';

const world = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-past-'));
  const clock = movableClock();
  const eventStore = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock });
  const readStore = await openSqliteReadStore({ file: path.join(folder, 'views.db') });
  const codec = stockCodec();
  const host = new ProjectionHost([warehouses], eventStore, readStore, codec, clock, silent);
  const projections = new Projections(host, eventStore, readStore);
  const decider = stockDecider;
  const runner = new CommandRunner({ decider, eventStore, codec: codec.for(stockEvents) });
  await host.start();
  const put = async (warehouse: string, pieces: number, at: string): Promise<bigint> => {
    clock.nowMs = Date.parse(at);
    const stream = `warehouse-${warehouse}`;
    const { position } = await runner.run(stream, add(warehouse, pieces), anyContext());
    return position;
  };
  const end = async (): Promise<void> => {
    await host.stop();
    await eventStore.close();
    await readStore.close();
    await rm(folder, { recursive: true });
  };
  return { clock, eventStore, readStore, host, projections, put, end };
};

const NINE = '2026-01-01T09:00:00.000Z';
const TEN = '2026-01-01T10:00:00.000Z';
const ELEVEN = '2026-01-01T11:00:00.000Z';

describe('a past state', () => {
  it('has the documents of its position, and its last event’s instant as now', async () => {
    const { projections, put, end } = await world();
    const first = await put('a', 1, NINE);
    await put('b', 5, TEN);
    await put('a', 2, ELEVEN);
    const past = await projections.at({ position: first });
    expect(past.readAt).toBe(Date.parse(NINE));
    const one = { document: { pieces: 1, events: 1 }, position: first };
    expect(await past.get(warehouses, 'a')).toEqual(one);
    expect(await past.get(warehouses, 'b')).toEqual({ document: undefined, position: first });
    const { documents } = await past.list(warehouses, {});
    expect(documents.map(({ key }) => key)).toEqual(['a']);
    expect(await past.count(warehouses, '')).toBe(1);
    await end();
  });

  it('is found by an instant, which is its now', async () => {
    const { projections, put, end } = await world();
    await put('a', 1, NINE);
    const second = await put('a', 2, TEN);
    await put('a', 4, ELEVEN);
    const past = await projections.at({ instant: '2026-01-01T10:30:00.000Z' });
    expect(past.readAt).toBe(Date.parse('2026-01-01T10:30:00.000Z'));
    const found = await past.get(warehouses, 'a');
    expect(found).toEqual({ document: { pieces: 3, events: 2 }, position: second });
    await end();
  });

  it('is empty before the first event', async () => {
    const { projections, put, end } = await world();
    await put('a', 1, NINE);
    const empty = { document: undefined, position: 0n };
    expect(await (await projections.at({ position: 0n })).get(warehouses, 'a')).toEqual(empty);
    const before = await projections.at({ instant: '2025-12-31T00:00:00.000Z' });
    expect(await before.get(warehouses, 'a')).toEqual(empty);
    expect((await before.list(warehouses, {})).documents).toEqual([]);
    await end();
  });

  it('does not lie beyond the head or in the future', async () => {
    const { projections, put, end } = await world();
    const head = await put('a', 1, NINE);
    await expect(projections.at({ position: head + 1n })).rejects.toThrow(AsOfError);
    await expect(projections.at({ instant: TEN })).rejects.toThrow(AsOfError);
    await end();
  });

  it('is the same after a rebuild, and the history of the old documents is dropped', async () => {
    const { host, readStore, projections, put, end } = await world();
    const first = await put('a', 1, NINE);
    await put('a', 2, TEN);
    await host.rebuild('warehouses');
    const past = await projections.at({ position: first });
    expect((await past.get(warehouses, 'a')).document).toEqual({ pieces: 1, events: 1 });
    expect(await readStore.count('warehouses.v1.g1.past')).toBe(0);
    expect(await readStore.count('warehouses.v1.g2.past')).toBe(1);
    await end();
  });

  it('is not read from documents that were built without their history', async () => {
    const { readStore, projections, put, end } = await world();
    const first = await put('a', 1, NINE);
    await projections.get(warehouses, 'a');
    await readStore.drop('warehouses.v1.g1.past', 'warehouses.v1.g1.past');
    const past = await projections.at({ position: first });
    await expect(past.get(warehouses, 'a')).rejects.toThrow(HistoryMissingError);
    await end();
  });

  it('is the present one without a position', async () => {
    const { clock, projections, put, end } = await world();
    const head = await put('a', 1, NINE);
    clock.nowMs = Date.parse(TEN);
    const present = await projections.at(undefined);
    expect(present.readAt).toBe(Date.parse(TEN));
    const found = await present.get(warehouses, 'a');
    expect(found).toEqual({ document: { pieces: 1, events: 1 }, position: head });
    expect(await present.count(warehouses, '')).toBe(1);
    await end();
  });
});
