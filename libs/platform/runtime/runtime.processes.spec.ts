import { Module } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { defineArea } from './areas/area.js';
import { type CommandContext } from './commands/command-context.js';
import { CommandRunner } from './commands/command-runner.js';
import { FaultyEventStore, FaultyReadStore, MemoryLog } from './faulty-stores.fake.js';
import { FencedReadStore, LeaseLostError } from './lease/fenced-read-store.js';
import { groupOf } from './lease/reader-groups.js';
import { ScriptedLeases } from './lease/scripted-leases.fake.js';
import { restockSaga } from './restock.fixture.js';
import { Runtime } from './runtime.js';
import { deploySaga } from './sagas/saga-deployment.js';
import {
  add,
  anyContext,
  movableClock,
  PiecesTaken,
  warehouses,
  silent,
  stockDecider,
  stockEvents,
  take,
} from './stock.fixture.js';

@Module({})
class StockModule {}

interface Sent {
  readonly data: unknown;
  readonly context: CommandContext;
}

const stock = defineArea({
  name: 'stock',
  events: stockEvents,
  projections: [warehouses],
  sagas: [
    deploySaga(restockSaga, {
      Restock: (data, context): Sent => ({ data, context }),
      Look: (data, context): Sent => ({ data, context }),
    }),
  ],
  relays: [{ name: 'sales', topic: 'sales', on: { PiecesTaken }, toMessage: () => null }],
  module: StockModule,
});

describe('runtimes of a fleet', () => {
  const running: Runtime[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((runtime) => runtime.stop()));
  });

  const openFleet = () => {
    const log = new MemoryLog();
    const readStore = new FaultyReadStore();
    const join = () => {
      const eventStore = new FaultyEventStore(log);
      const bus = createInProcessBus();
      const engines = { eventStore, readStore, bus, clock: movableClock(), logger: silent };
      const runtime = new Runtime(engines, [stock]);
      running.push(runtime);
      const { codec } = runtime;
      const runner = new CommandRunner({
        decider: stockDecider,
        eventStore,
        codec: codec.for(stockEvents),
      });
      const sent: Sent[] = [];
      const sender = { execute: (command: object) => Promise.resolve(sent.push(command as Sent)) };
      const lease = new ScriptedLeases();
      const startProjector = async () => {
        await runtime.startFollowing();
        runtime.startUnder(lease, sender);
      };
      return { runtime, runner, lease, sent, startProjector };
    };
    return { log, readStore, join };
  };

  const piecesOf = async ({ projections }: Runtime) =>
    (await projections.get(warehouses, 'a')).document?.pieces;

  it('answer with the caller’s own write, which another process projects', async () => {
    const { join } = openFleet();
    const [gateway, projector] = [join(), join()];
    await gateway.runtime.startFollowing();
    await projector.startProjector();
    await projector.lease.give(1n);
    for (let pieces = 1; pieces <= 20; pieces += 1) {
      await gateway.runner.run('warehouse-a', add('a', 1), anyContext());
      expect(await piecesOf(gateway.runtime)).toBe(pieces);
    }
    expect(gateway.runtime.leadership()).toBeNull();
    expect(gateway.runtime.reactions()).toEqual([]);
    const [status] = await gateway.runtime.projectionHost.status();
    expect(status).toMatchObject({ phase: 'elsewhere', lag: '0', lagMs: 0 });
  });

  it('wait for a build that has not begun', async () => {
    const { join } = openFleet();
    const [gateway, projector] = [join(), join()];
    await gateway.runtime.startFollowing();
    await gateway.runner.run('warehouse-a', add('a', 3), anyContext());
    const asked = piecesOf(gateway.runtime);
    await projector.startProjector();
    await projector.lease.give(1n);
    expect(await asked).toBe(3);
  });

  it('react once in the fleet, and go on where the process before stopped', async () => {
    const { join } = openFleet();
    const [one, two] = [join(), join()];
    await one.startProjector();
    await two.startProjector();
    await one.lease.give(1n);
    await one.runner.run('warehouse-a', add('a', 9), anyContext());
    await one.runner.run('warehouse-a', take('a', 1, 'first'), anyContext());
    await eventually(() => one.sent.length === 1);
    await one.lease.take();
    await two.lease.give(2n);
    await one.runner.run('warehouse-a', take('a', 1, 'second'), anyContext());
    await eventually(() => two.sent.length === 1);
    expect(one.sent).toMatchObject([{ data: { takeId: 'first' } }]);
    expect(two.sent).toMatchObject([{ data: { takeId: 'second' } }]);
    expect(await piecesOf(one.runtime)).toBe(7);
    expect(await piecesOf(two.runtime)).toBe(7);
    expect(one.runtime.reactions()).toEqual([]);
    expect(two.runtime.reactions().map(({ name }) => name)).toEqual([
      'saga.restock',
      'outbox.sales',
      'log-times',
    ]);
  });

  it('answer a query that began under one holder and ends under the next', async () => {
    const { join } = openFleet();
    const [one, two] = [join(), join()];
    await one.startProjector();
    await two.startProjector();
    await one.runner.run('warehouse-a', add('a', 2), anyContext());
    const asked = [piecesOf(one.runtime), piecesOf(two.runtime)];
    await one.lease.give(1n);
    await one.lease.take();
    await two.lease.give(2n);
    expect(await Promise.all(asked)).toEqual([2, 2]);
  });

  it('reject the writes of a holder that has not noticed the loss of its lease', async () => {
    const { join, readStore } = openFleet();
    const [one, two] = [join(), join()];
    await one.startProjector();
    await two.startProjector();
    await one.lease.give(1n);
    await one.runner.run('warehouse-a', add('a', 1), anyContext());
    await eventually(async () => (await piecesOf(two.runtime)) === 1);
    // The first does not know yet.
    await two.lease.give(2n);
    await one.runner.run('warehouse-a', add('a', 1), anyContext());
    expect(await piecesOf(two.runtime)).toBe(2);
    await eventually(() => !one.lease.isHeld(groupOf('warehouses')));
    const byTheFirst = readStore.committed
      .filter(({ checkpoint }) => checkpoint?.fence === 1n)
      .flatMap(({ writes }) => writes)
      .filter(({ collection }) => collection.startsWith('warehouses.'));
    expect(byTheFirst.map(({ document }) => document)).toEqual([{ pieces: 1, events: 1 }]);
  });

  it('share the readers, and move one group without disturbing the others', async () => {
    const { join, readStore } = openFleet();
    const [one, two] = [join(), join()];
    await one.startProjector();
    await two.startProjector();
    const projections = [groupOf('warehouses')];
    await one.lease.give(1n);
    await one.runner.run('warehouse-a', add('a', 9), anyContext());
    await one.runner.run('warehouse-a', take('a', 1, 'first'), anyContext());
    await eventually(() => one.sent.length === 1);
    const reactions = one.runtime.reactions();
    await one.lease.take(projections);
    await two.lease.give(2n, projections);
    await one.runner.run('warehouse-a', take('a', 1, 'second'), anyContext());
    expect(await piecesOf(one.runtime)).toBe(7);
    expect(await piecesOf(two.runtime)).toBe(7);
    const [there] = await one.runtime.projectionHost.status();
    const [here] = await two.runtime.projectionHost.status();
    expect([there?.phase, here?.phase]).toEqual(['elsewhere', 'live']);
    await eventually(() => one.sent.length === 2);
    expect(two.sent).toEqual([]);
    expect(two.runtime.reactions()).toEqual([]);
    expect(one.runtime.reactions().map(({ name }) => name)).toEqual(
      reactions.map(({ name }) => name),
    );
    const fences = readStore.committed.flatMap(({ checkpoint }) =>
      checkpoint?.name.startsWith('saga.') ? [checkpoint.fence] : [],
    );
    expect(new Set(fences)).toEqual(new Set([1n]));
  });

  it('fence off a holder of one group, which continues with the other groups', async () => {
    const { join } = openFleet();
    const [one, two] = [join(), join()];
    await one.startProjector();
    await two.startProjector();
    const group = groupOf('warehouses');
    await one.lease.give(1n);
    await one.runner.run('warehouse-a', add('a', 9), anyContext());
    await eventually(async () => (await piecesOf(two.runtime)) === 9);
    // The first does not know yet.
    await two.lease.give(2n, [group]);
    await one.runner.run('warehouse-a', take('a', 1, 'first'), anyContext());
    await eventually(() => !one.lease.isHeld(group));
    expect(one.lease.isHeld('reactions')).toBe(true);
    await eventually(() => one.sent.length === 1);
    expect(await piecesOf(two.runtime)).toBe(8);
  });

  it('adopt the generation that a rebuild in another process has built', async () => {
    const { join } = openFleet();
    const [gateway, projector, cli] = [join(), join(), join()];
    await gateway.runtime.startFollowing();
    await projector.startProjector();
    await projector.lease.give(1n);
    await gateway.runner.run('warehouse-a', add('a', 1), anyContext());
    expect(await piecesOf(gateway.runtime)).toBe(1);
    await cli.runtime.projectionHost.rebuild('warehouses');
    const [idle] = await gateway.runtime.projectionHost.status();
    expect(idle).toMatchObject({ generation: 2, lag: '0' });
    await gateway.runner.run('warehouse-a', add('a', 1), anyContext());
    expect(await piecesOf(gateway.runtime)).toBe(2);
  });
});

describe('a read store under a lease', () => {
  const openLease = (token: bigint) => {
    const term = {
      token,
      isHeldNow: true,
      isHeld: () => term.isHeldNow,
      held: () => Promise.resolve(term.isHeldNow),
      lost: () => (term.isHeldNow = false),
    };
    return term;
  };

  it('claims a checkpoint before it returns it', async () => {
    const readStore = new FaultyReadStore();
    await readStore.commit({ writes: [], checkpoint: { name: 'reader', position: 5n } });
    const [first, second] = [openLease(1n), openLease(2n)];
    expect(await new FencedReadStore(readStore, second).checkpoint('reader')).toBe(5n);
    await expect(new FencedReadStore(readStore, first).checkpoint('reader')).rejects.toMatchObject({
      code: 'fenced-off',
    });
    expect([first.isHeldNow, second.isHeldNow]).toEqual([false, true]);
  });

  it('writes nothing after the lease was lost, with or without a checkpoint', async () => {
    const readStore = new FaultyReadStore();
    const term = openLease(1n);
    const fenced = new FencedReadStore(readStore, term);
    term.lost();
    const write = { collection: 'usage', key: 'a', document: {}, position: 1n };
    await expect(fenced.commit({ writes: [write] })).rejects.toBeInstanceOf(LeaseLostError);
    expect(await fenced.get('usage', 'a')).toBeUndefined();
  });
});
