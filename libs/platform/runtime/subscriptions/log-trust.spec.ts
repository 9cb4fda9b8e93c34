import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { pino } from 'pino';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { DamagedEventError } from '#platform/event-store/event-store.errors.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { defineArea } from '../areas/area.js';
import { CommandRunner } from '../commands/command-runner.js';
import { FaultyEventStore, FaultyReadStore, MemoryLog } from '../faulty-stores.fake.js';
import { LogStanding } from '../log-standing/log-standing.js';
import { heartbeatsOf, READER_GROUPS, SHARE_REQUESTS } from '../lease/reader-groups.js';
import { LogTrust } from './log-trust.js';
import { Runtime } from '../runtime.js';
import {
  add,
  anyContext,
  stockCodec,
  stockDecider,
  stockEvents,
  warehouses,
} from '../stock.fixture.js';

@Module({})
class NoModule {}

const stock = defineArea({
  name: 'stock',
  description: 'Warehouses.',
  module: NoModule,
  events: stockEvents,
  projections: [warehouses],
});

const open = () => {
  const log = new MemoryLog();
  const readStore = new FaultyReadStore();
  const eventStore = new FaultyEventStore(log);
  const engines = {
    eventStore,
    readStore,
    bus: createInProcessBus(),
    clock: { now: () => 0 },
    logger: pino({ level: 'silent' }),
  };
  const fill = async (count: number, pieces = 1): Promise<void> => {
    const codec = stockCodec().for(stockEvents);
    const runner = new CommandRunner({ decider: stockDecider, eventStore, codec });
    for (let at = 0; at < count; at += 1) {
      await runner.run('warehouse-a', add('a', pieces), anyContext());
    }
  };
  /** One life of a process: it answers a query, and ends. */
  const live = async (): Promise<number | undefined> => {
    const runtime = new Runtime(engines, [stock]);
    await runtime.startProjections();
    try {
      return (await runtime.projections.get(warehouses, 'a')).document?.pieces;
    } finally {
      await runtime.stop();
    }
  };
  return {
    log,
    readStore,
    eventStore,
    engines,
    fill,
    live,
    trust: new LogTrust(eventStore, readStore),
  };
};

describe('read models', () => {
  it('are trusted where there are none, and after a start on the same log', async () => {
    const { trust, fill, live } = open();
    expect(await trust.findForeign()).toBeNull();
    await fill(5);
    expect(await live()).toBe(5);
    expect(await trust.findForeign()).toBeNull();
    await fill(1);
    expect(await live()).toBe(6);
  });

  it('that are ahead of the log are not', async () => {
    const { trust, log, fill, live } = open();
    await fill(5);
    await live();
    log.events.splice(3);
    expect(await trust.findForeign()).toMatchObject({
      checkpoint: { name: 'warehouses.v1.g1', position: 13n },
      reason: 'it is at position 13, and the log ends at 7',
    });
    await expect(trust.expect()).rejects.toThrow('the read models are not of this log');
  });

  it('of a log that was put back and has grown past them are not', async () => {
    const { trust, log, fill, live } = open();
    await fill(5);
    await live();
    log.events.splice(3);
    await fill(7, 9);
    const foreign = await trust.findForeign();
    expect(foreign?.reason).toMatch(/^the log does not have the event \["13","warehouse-a","4",/);
  });

  it('are trusted again when the log is the right one again', async () => {
    const { trust, log, fill, live } = open();
    await fill(5);
    await live();
    const lost = log.events.splice(3);
    await expect(trust.expect()).rejects.toThrow(ReadStoreError);
    log.events.push(...lost);
    await expect(trust.expect()).resolves.toBeUndefined();
  });

  it('are trusted when the event that they name is damaged', async () => {
    const { trust, eventStore, fill, live } = open();
    await fill(5);
    await live();
    eventStore.read = async function* () {
      await Promise.resolve();
      throw new DamagedEventError({ position: 13n, stream: 'warehouse-a', reason: 'no JSON' });
    };
    expect(await trust.findForeign()).toBeNull();
  });

  it('are not judged by the counts of the leases', async () => {
    const { trust, readStore, fill } = open();
    await fill(1);
    for (const name of [...READER_GROUPS.map(heartbeatsOf), SHARE_REQUESTS]) {
      await readStore.commit({ writes: [], checkpoint: { name, position: 99n } });
    }
    expect(await trust.findForeign()).toBeNull();
  });

  it('that are not of the log answer no query, and stop their projection', async () => {
    const { log, engines, fill, live } = open();
    await fill(5);
    await live();
    log.events.splice(3);
    const runtime = new Runtime(engines, [stock]);
    await runtime.startProjections();
    const asked = runtime.projections.get(warehouses, 'a');
    await expect(asked).rejects.toMatchObject({ code: 'foreign-log' });
    await expect(asked).rejects.toThrow('it is at position 13, and the log ends at 7');
    expect((await runtime.projectionHost.status())[0]).toMatchObject({
      phase: 'stopped',
      position: 0n,
      failure: expect.stringContaining('the read models are not of this log'),
    });
    await runtime.stop();
  });

  it('that another process writes are refused as well', async () => {
    const { log, engines, fill, live } = open();
    await fill(5);
    await live();
    log.events.splice(3);
    const runtime = new Runtime(engines, [stock]);
    await runtime.startFollowing();
    const asked = runtime.projections.get(warehouses, 'a');
    await expect(asked).rejects.toMatchObject({ code: 'foreign-log' });
    await runtime.stop();
  });
});

describe('money on a log that was put back', () => {
  const putBack = async () => {
    const world = open();
    await world.fill(5);
    await world.live();
    world.log.events.splice(3);
    const standing = new LogStanding(world.trust, world.eventStore, { now: () => 0 });
    return { ...world, standing };
  };

  it('rests on it again once an operator has confirmed it', async () => {
    const { standing, log } = await putBack();
    expect(await standing.compare()).toMatchObject({
      checkpoint: { name: 'warehouses.v1.g1' },
    });
    expect(await standing.confirm('restored', anyContext())).toBe(1);
    expect(await standing.compare()).toBeNull();
    // The read models are still of the other log.
    expect(standing.foreign).toMatchObject({ checkpoint: { name: 'warehouses.v1.g1' } });
    expect(log.events.at(-1)).toMatchObject({
      type: 'LogConfirmed',
      data: { lost: [{ reader: 'warehouses.v1.g1', position: '13' }], reason: 'restored' },
    });
  });

  it('does not rest on one that is put back again', async () => {
    const { standing, log } = await putBack();
    await standing.confirm('restored', anyContext());
    log.events.splice(2);
    expect(await standing.compare()).not.toBeNull();
  });

  it('does not rest on one that has grown past the lost events', async () => {
    const { standing, fill } = await putBack();
    await fill(7, 9);
    expect(await standing.compare()).toMatchObject({
      checkpoint: { name: 'warehouses.v1.g1' },
      reason: expect.stringContaining('the log does not have the event'),
    });
  });

  it('does not rest on one that lacks events that only commands have folded', async () => {
    const { log, fill, trust, eventStore, live } = open();
    await fill(3);
    await live();
    const standing = new LogStanding(trust, eventStore, { now: () => 0 });
    const codec = stockCodec().for(stockEvents);
    const runner = new CommandRunner({ decider: stockDecider, eventStore, codec });
    const change = () => runner.run('warehouse-a', add('a', 1), anyContext());
    await change();
    const lost = log.events.splice(3);
    expect(await standing.compare()).toBeNull();
    await expect(change()).rejects.toThrow('warehouse-a: the log does not have the event');
    expect(await standing.compare()).toMatchObject({ checkpoint: { name: 'warehouse-a' } });
    log.events.push(...lost);
    expect(await standing.compare()).toBeNull();
    log.events.splice(3);
    await expect(change()).rejects.toThrow('no operator has confirmed the log');
    expect(await standing.confirm('restored', anyContext())).toBe(0);
    expect(await standing.compare()).toBeNull();
    expect((await change()).state.pieces).toBe(4);
  });

  it('is doubted as soon as the log shrinks', async () => {
    const { standing, log } = await putBack();
    expect(await standing.hasShrunk()).toBe(false);
    log.events.splice(1);
    expect(await standing.hasShrunk()).toBe(true);
    expect(await standing.hasShrunk()).toBe(false);
  });
});
