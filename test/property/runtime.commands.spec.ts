import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '#platform/kernel/domain-error.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import {
  type Fault,
  FaultyEventStore,
  FaultyReadStore,
  MemoryLog,
} from '#platform/runtime/faulty-stores.fake.js';
import { Snapshots } from '#platform/runtime/commands/snapshots.js';
import {
  add,
  anyContext,
  type Warehouse,
  warehouseSnapshots,
  stockCodec,
  stockEvents,
  type StockCommand,
  stockDecider,
  type StockEvent,
  take,
} from '#platform/runtime/stock.fixture.js';

const warehouse = fc.constantFrom('a', 'b');
const command: fc.Arbitrary<StockCommand> = fc.oneof(
  fc.tuple(warehouse, fc.integer({ min: 1, max: 6 })).map(([on, pieces]) => add(on, pieces)),
  // Few ids, so that both processes are asked for the same piece of work.
  fc
    .tuple(warehouse, fc.integer({ min: 1, max: 3 }), fc.nat({ max: 5 }))
    .map(([on, pieces, id]) => take(on, pieces, `take-${id}`)),
);

const appendFault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 20, arbitrary: fc.constant<Fault>('none') },
  { weight: 3, arbitrary: fc.constant<Fault>('twice') },
  { weight: 1, arbitrary: fc.constant<Fault>('unknown-done') },
  { weight: 1, arbitrary: fc.constant<Fault>('unknown-not-done') },
  { weight: 1, arbitrary: fc.constant<Fault>('fail-before') },
);

const processes = fc.array(
  fc.record({
    commands: fc.array(command, { minLength: 1, maxLength: 12 }),
    faults: fc.array(appendFault, { maxLength: 10 }),
  }),
  { minLength: 2, maxLength: 2 },
);

interface Answer {
  readonly events: readonly StockEvent[];
  readonly eventIds: readonly string[];
  /** The thrown error, or null. */
  readonly failure: unknown;
}

/** One process: its own runner on the shared log; the scheduler runs each step. */
const startProcess = (log: MemoryLog, views: FaultyReadStore, scheduler: fc.Scheduler) => {
  const store = new FaultyEventStore(log);
  store.beforeAppend = () => scheduler.schedule(Promise.resolve(), 'append');
  const runner = new CommandRunner<StockCommand, Warehouse, StockEvent>({
    decider: stockDecider,
    eventStore: store,
    codec: stockCodec().for(stockEvents),
    snapshots: { store: new Snapshots(views), plan: warehouseSnapshots(3) },
  });
  const ask = async (one: StockCommand): Promise<Answer> => {
    await scheduler.schedule(Promise.resolve(), one.type);
    try {
      return {
        ...(await runner.run(`warehouse-${one.data.warehouse}`, one, anyContext())),
        failure: null,
      };
    } catch (failure) {
      return { events: [], eventIds: [], failure };
    }
  };
  return { store, runner, ask };
};

const foldOf = (log: MemoryLog, stream: string): readonly Warehouse[] => {
  const codec = stockCodec().for(stockEvents);
  const states: Warehouse[] = [stockDecider.initialState];
  for (const recorded of log.of(stream)) {
    const before = states.at(-1) ?? stockDecider.initialState;
    states.push(stockDecider.evolve(before, codec.revive(recorded)));
  }
  return states;
};

describe('commands of two processes on one log, in any order', () => {
  it('never take more than the stock or anything twice, and report their outcome', async () => {
    await fc.assert(
      fc.asyncProperty(processes, fc.scheduler(), async (given, scheduler) => {
        const log = new MemoryLog();
        const views = new FaultyReadStore();
        const started = given.map(() => startProcess(log, views, scheduler));
        const asked = started.flatMap(({ store, ask }, index) => {
          store.appends.plan(...(given[index]?.faults ?? []));
          return (given[index]?.commands ?? []).map(ask);
        });
        const answers = await scheduler.waitFor(Promise.all(asked));

        const written = log.events.map(({ id }) => id);
        expect(new Set(written).size).toBe(written.length);
        for (const stream of ['warehouse-a', 'warehouse-b']) {
          const states = foldOf(log, stream);
          expect(states.filter(({ pieces }) => pieces < 0)).toEqual([]);
          const taken = states.at(-1)?.taken ?? [];
          expect(new Set(taken).size).toBe(taken.length);
          for (const { runner } of started) {
            expect((await runner.stateOf(stream)).state).toEqual(states.at(-1));
          }
        }
        const acknowledged = answers.flatMap(({ eventIds }) => eventIds);
        expect(written).toEqual(expect.arrayContaining(acknowledged));
        // A failed command has no event, unless its outcome is unknown.
        const open = answers.filter(({ failure }) => failure && !(failure instanceof DomainError));
        expect(written.length - acknowledged.length).toBeLessThanOrEqual(open.length);
      }),
      { numRuns: 150 },
    );
  });
});
