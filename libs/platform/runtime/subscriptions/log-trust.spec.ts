import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { pino } from 'pino';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { DamagedEventError } from '#platform/event-store/event-store.errors.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { defineArea } from '../areas/area.js';
import { CommandRunner } from '../commands/command-runner.js';
import { FaultyEventStore, FaultyReadStore, MemoryLog } from '../faulty-stores.fake.js';
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
