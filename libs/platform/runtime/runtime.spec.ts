import { Module } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { type Saga } from '#platform/kernel/saga.js';
import { defineArea } from './areas/area.js';
import { type CommandContext } from './commands/command-context.js';
import { CommandRunner } from './commands/command-runner.js';
import { FaultyEventStore, FaultyReadStore } from './faulty-stores.fake.js';
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
  type StockEvent,
  stockEvents,
  take,
} from './stock.fixture.js';

@Module({})
class StockModule {}

class RestockCommand {
  constructor(
    readonly data: unknown,
    readonly context: CommandContext,
  ) {}
}

const stock = defineArea({
  name: 'stock',
  events: stockEvents,
  projections: [warehouses],
  sagas: [
    deploySaga(restockSaga, {
      Restock: (data, context) => new RestockCommand(data, context),
      Look: (data, context) => new RestockCommand(data, context),
    }),
  ],
  relays: [{ name: 'sales', topic: 'sales', on: { PiecesTaken }, toMessage: () => null }],
  module: StockModule,
});

/** A saga of another name that sends the same commands. */
const otherSaga = deploySaga(
  { ...restockSaga, name: 'other' },
  { Restock: (data, context) => new RestockCommand(data, context), Look: () => ({}) },
);

const engines = () => ({
  eventStore: new FaultyEventStore(),
  readStore: new FaultyReadStore(),
  bus: createInProcessBus(),
  clock: movableClock(),
  logger: silent,
});

describe('the runtime', () => {
  it('reads the log on behalf of every area: projections, sagas and relays', async () => {
    const runtime = new Runtime(engines(), [stock]);
    const { eventStore, bus } = runtime.engines;
    const executed: unknown[] = [];
    await runtime.startProjections();
    await runtime.startReactions({
      execute: (command) => Promise.resolve(executed.push(command)),
    });
    const runner = new CommandRunner({
      decider: stockDecider,
      eventStore,
      codec: runtime.codec.for(stockEvents),
    });
    await runner.run('warehouse-a', add('a', 5), anyContext());
    await runner.run('warehouse-a', take('a', 1, 'one'), anyContext());
    const found = await runtime.projections.get(warehouses, 'a');
    expect(found.document).toEqual({ pieces: 4, events: 2 });
    await eventually(() => executed.length > 0);
    expect(executed).toMatchObject([{ data: { warehouse: 'a', takeId: 'one' } }]);
    const names = runtime.reactions().map(({ name }) => name);
    expect(names).toEqual(['saga.restock', 'outbox.sales', 'log-times']);
    await runtime.stop();
    expect(new Set(runtime.reactions().map(({ phase }) => phase))).toEqual(new Set(['closed']));
    await bus.close();
  });

  it('builds the tree of the log where it is asked to, which replaces a chain', async () => {
    const runtime = new Runtime({ ...engines(), keepsTree: true }, [stock]);
    const { eventStore } = runtime.engines;
    await runtime.startReactions({ execute: () => Promise.resolve() });
    const runner = new CommandRunner({
      decider: stockDecider,
      eventStore,
      codec: runtime.codec.for(stockEvents),
    });
    await runner.run('warehouse-a', add('a', 5), anyContext());
    await runner.run('warehouse-a', add('a', 6), anyContext());
    const keeper = () => runtime.reactions().find(({ name }) => name === 'audit.tree');
    const head = await eventStore.head();
    await eventually(() => keeper()?.position === head);
    expect(await runtime.chain?.check({ upTo: head })).toMatchObject({ events: 2, damaged: [] });
    await runtime.stop();
    expect(new Runtime(engines(), [stock]).chain).toBeNull();
  });

  it('stops a saga that sends a command of another build', async () => {
    const sagas = [deploySaga(restockSaga as unknown as Saga<StockEvent, object>, {})];
    const runtime = new Runtime(engines(), [{ ...stock, sagas }]);
    const { eventStore } = runtime.engines;
    await runtime.startReactions({ execute: () => Promise.resolve() });
    const runner = new CommandRunner({
      decider: stockDecider,
      eventStore,
      codec: runtime.codec.for(stockEvents),
    });
    await runner.run('warehouse-a', take('a', 0), anyContext());
    await eventually(() => runtime.reactions()[0]?.phase === 'stopped');
    expect(runtime.reactions()[0]?.failure).toBe('restock has no command Restock');
    await runtime.stop();
  });

  it.each([
    ['projections', { ...stock, sagas: [], relays: [] }],
    ['sagas', { ...stock, projections: [], relays: [] }],
    ['relays', { ...stock, projections: [], sagas: [] }],
    ['saga commands', { ...stock, projections: [], sagas: [otherSaga], relays: [] }],
  ])('rejects two %s of one name', (what, twin) => {
    expect(() => new Runtime(engines(), [stock, twin])).toThrow(`two ${what} are called`);
  });
});
