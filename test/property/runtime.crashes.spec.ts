import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Bus } from '#platform/bus/bus.port.js';
import { type AnySaga } from '#platform/kernel/saga.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import {
  type Fault,
  FaultyEventStore,
  FaultyReadStore,
  type MemoryLog,
} from '#platform/runtime/faulty-stores.fake.js';
import { type SubscriptionHandler } from '#platform/runtime/subscriptions/subscription-handler.js';
import { ProjectionHandler } from '#platform/runtime/projections/projection-handler.js';
import { restockSaga, watchSaga } from '#platform/runtime/restock.fixture.js';
import { timerKey } from '#platform/runtime/sagas/saga-documents.js';
import { SagaHandler } from '#platform/runtime/sagas/saga-handler.js';
import {
  anyContext,
  PiecesAdded,
  PiecesTaken,
  WarehouseCleared,
  warehouses,
  stockCodec,
  stockEvents,
  type StockEvent,
} from '#platform/runtime/stock.fixture.js';

const codec = stockCodec();
const warehouse = fc.constantFrom('a', 'b', 'c');

const stockEvent: fc.Arbitrary<StockEvent> = fc.oneof(
  fc
    .record({ warehouse, pieces: fc.integer({ min: 1, max: 9 }), note: fc.constant('') })
    .map(PiecesAdded.of),
  fc
    .record({
      warehouse,
      pieces: fc.nat({ max: 9 }),
      takeId: fc.uuid(),
      reason: fc.constant('sale'),
    })
    .map(PiecesTaken.of),
  fc.record({ warehouse }).map(WarehouseCleared.of),
);

const fault: fc.Arbitrary<Fault> = fc.constantFrom(
  'none',
  'fail-before',
  'fail-halfway',
  'fail-after',
  'twice',
);
const faults = fc.array(fault, { maxLength: 6 });

/** Appends events, then runs processes in turn, each until a crash or the end of the log. */
const lives = fc.array(
  fc.record({
    events: fc.array(stockEvent, { maxLength: 8 }),
    commits: faults,
    gets: faults,
    sends: faults,
    savesEvery: fc.integer({ min: 1, max: 5 }),
  }),
  { minLength: 1, maxLength: 8 },
);

const append = (log: MemoryLog, events: readonly StockEvent[]): void => {
  for (const event of events) {
    const stream = `warehouse-${event.data.warehouse}`;
    const { length } = log.of(stream);
    const stored = codec.store(event, stream, 'Spec', anyContext(), 0);
    log.append(stream, [stored], length === 0 ? 'no-stream' : BigInt(length - 1));
  }
};

/** Reads to the end. @throws the fault that crashes the handler */
const live = async (
  store: FaultyEventStore,
  handler: SubscriptionHandler,
  afterBatch: (count: number) => Promise<void>,
): Promise<void> => {
  const after = await handler.checkpoint();
  const stop = new AbortController();
  const place = after === undefined ? {} : { after };
  let count = 0;
  for await (const batch of store.subscribe({ ...place, signal: stop.signal })) {
    await handler.handle(batch);
    count += 1;
    await afterBatch(count);
    if (batch.caughtUp) stop.abort();
  }
};

/** A crash loses the memory of the process, so each start makes a new handler. */
const survives = (life: Promise<void>): Promise<boolean> =>
  life.then(
    () => true,
    () => false,
  );

const eventsOf = (log: MemoryLog): readonly StockEvent[] =>
  log.events.map((recorded) => codec.for(stockEvents).revive(recorded));

describe('after any schedule of crashes', () => {
  it('a projection is the left fold of the log', async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (schedule) => {
        const store = new FaultyEventStore();
        const views = new FaultyReadStore();
        const start = () =>
          new ProjectionHandler(warehouses, 'warehouses.v1.g1', views, stockCodec());
        const nothing = () => Promise.resolve();
        for (const { events, commits, gets } of schedule) {
          append(store.log, events);
          views.commits.plan(...commits);
          views.gets.plan(...gets);
          await survives(live(store, start(), nothing));
        }
        while (!(await survives(live(store, start(), nothing)))) continue;
        const found = await views.list('warehouses.v1.g1');
        expect(new Map(found.map(({ key, document }) => [key, document]))).toEqual(
          leftFold(eventsOf(store.log)),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('two processes that build one projection get the same fold', async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (schedule) => {
        const store = new FaultyEventStore();
        const views = new FaultyReadStore();
        const start = () =>
          new ProjectionHandler(warehouses, 'warehouses.v1.g1', views, stockCodec());
        const nothing = () => Promise.resolve();
        for (const { events, commits } of schedule) {
          append(store.log, events);
          views.commits.plan(...commits);
          await Promise.all([1, 2].map(() => survives(live(store, start(), nothing))));
        }
        while (!(await survives(live(store, start(), nothing)))) continue;
        const found = await views.list('warehouses.v1.g1');
        expect(new Map(found.map(({ key, document }) => [key, document]))).toEqual(
          leftFold(eventsOf(store.log)),
        );
      }),
      { numRuns: 100 },
    );
  });

  it.each([restockSaga as AnySaga, watchSaga])(
    'the saga $name has sent everything, each thing in effect once, and its timers stand',
    async (saga) => {
      await fc.assert(
        fc.asyncProperty(lives, async (schedule) => {
          const store = new FaultyEventStore();
          const views = new FaultyReadStore();
          const inEffect = new Map<string, unknown>();
          for (const { events, commits, gets, sends, savesEvery } of [...schedule, ...CALM]) {
            append(store.log, events);
            views.commits.plan(...commits);
            views.gets.plan(...gets);
            const handler = sagaHandler(saga, views, inEffect, sends);
            const saveNowAndThen = (count: number) =>
              count % savesEvery === 0 ? handler.save() : Promise.resolve();
            const done = await survives(live(store, handler, saveNowAndThen));
            if (done) await survives(handler.save());
          }
          const timers = await views.list(`saga.${saga.name}.timers`);
          const expected = effectsOf(saga, store.log);
          expect(timers.map(({ key }) => key).sort()).toEqual(expected.timers);
          expect([...inEffect.keys()].sort()).toEqual(expected.ids);
        }),
        { numRuns: 200 },
      );
    },
  );
});

/** Runs without crashes until the planned faults are used up. */
const CALM = Array.from({ length: 100 }, () => ({
  events: [],
  commits: [],
  gets: [],
  sends: [],
  savesEvery: 1,
}));

const leftFold = (events: readonly StockEvent[]): ReadonlyMap<string, object> => {
  const documents = new Map<string, object>();
  for (const event of events) {
    const key = event.data.warehouse;
    const before = documents.get(key) ?? warehouses.initial(key);
    const after = warehouses.project(event, before as ReturnType<typeof warehouses.initial>, key);
    if (after === null) documents.delete(key);
    else documents.set(key, after);
  }
  return documents;
};

/** The receivers of commands and messages recognise a repeat by its id. */
const sagaHandler = (
  saga: AnySaga,
  views: FaultyReadStore,
  inEffect: Map<string, unknown>,
  sends: readonly Fault[],
): SagaHandler => {
  const coming = [...sends];
  const receive = (id: string, what: unknown): Promise<void> => {
    const fate = coming.shift() ?? 'none';
    if (fate === 'fail-before') return Promise.reject(new Error('not sent'));
    if (inEffect.has(id)) expect(inEffect.get(id)).toEqual(what);
    inEffect.set(id, what);
    return fate === 'fail-after'
      ? Promise.reject(new Error('sent, but reported as failed'))
      : Promise.resolve();
  };
  const bus = {
    publish: async (topic: string, messages: readonly { id: string; data: unknown }[]) => {
      for (const { id, data } of messages) await receive(id, { topic, data });
    },
  } as unknown as Bus;
  return new SagaHandler(saga, views, stockCodec(), bus, (command, { requestId }) =>
    receive(requestId, command),
  );
};

/** The expected commands of the saga, folded from the log without crashes. */
const effectsOf = (
  saga: AnySaga,
  log: MemoryLog,
): { readonly timers: readonly string[]; readonly ids: readonly string[] } => {
  const states = new Map<string, object>();
  const timers = new Map<string, string>();
  const ids: string[] = [];
  for (const recorded of log.events) {
    const event = codec.revive(recorded);
    const process = saga.key(event);
    const state = states.get(process) ?? (saga.initialState as object);
    for (const [index, action] of saga.react(event, state).entries()) {
      if (action.kind === 'schedule') {
        timers.set(`${process} ${action.timer}`, timerKey(action.dueAt, process, action.timer));
      } else if (action.kind === 'cancel') timers.delete(`${process} ${action.timer}`);
      else ids.push(derivedId(`${saga.name}\n${index}`, recorded.id));
    }
    const next = saga.evolve(state, event) as object | null;
    if (next === null) states.delete(process);
    else states.set(process, next);
  }
  return { timers: [...timers.values()].sort(), ids: ids.sort() };
};
