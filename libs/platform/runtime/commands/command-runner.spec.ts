import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  StoreUnavailableError,
  UnknownOutcomeError,
} from '#platform/event-store/event-store.errors.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { readLog } from '#platform/event-store/event-store.fixture.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import {
  ATTEMPTS_MAX,
  BATCH_COMMANDS_MAX,
  CommandRunner,
  ContentionError,
  type RunnerOptions,
} from './command-runner.js';
import { FaultyEventStore, FaultyReadStore, MemoryLog } from '../faulty-stores.fake.js';
import { Snapshots } from './snapshots.js';
import {
  add,
  anyContext,
  type Warehouse,
  warehouseSnapshots,
  stockCodec,
  type StockCommand,
  stockDecider,
  stockEvents,
  type StockEvent,
  take,
} from '../stock.fixture.js';

const runnerOn = (
  eventStore: EventStore,
  options: Partial<RunnerOptions<StockCommand, Warehouse, StockEvent>> = {},
) =>
  new CommandRunner({
    decider: stockDecider,
    eventStore,
    codec: stockCodec().for(stockEvents),
    ...options,
  });

const openRunner = (options?: Partial<RunnerOptions<StockCommand, Warehouse, StockEvent>>) => {
  const store = new FaultyEventStore();
  return { store, runner: runnerOn(store, options) };
};

/** Another process, which appends while ours decides. */
const intruderOn = (log: MemoryLog) => {
  const runner = runnerOn(new FaultyEventStore(log));
  return (command: StockCommand) =>
    runner.run(`warehouse-${command.data.warehouse}`, command, anyContext());
};

const settled = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof DomainError ? String(error.code) : error),
  );

describe('a command', () => {
  it('returns its events, their ids and the position', async () => {
    const { store, runner } = openRunner();
    const { events, eventIds, state, position } = await runner.run(
      'warehouse-a',
      add('a', 5),
      anyContext(),
    );
    expect(events).toEqual([
      { type: 'PiecesAdded', data: { warehouse: 'a', pieces: 5, note: '' } },
    ]);
    expect(eventIds).toEqual(store.log.events.map(({ id }) => id));
    expect(state.pieces).toBe(5);
    expect(position).toBe(store.log.events[0]?.position);
  });

  it('carries who asked and why into the log', async () => {
    const { store, runner } = openRunner();
    const context = anyContext();
    await runner.run('warehouse-a', add('a', 5), context);
    expect(store.log.events[0]?.metadata).toEqual({ version: 1, ...context });
  });

  it('is rejected by its decider and leaves nothing behind', async () => {
    const { store, runner } = openRunner();
    expect(await settled(runner.run('warehouse-a', take('a', 1), anyContext()))).toBe('too_few');
    expect(store.log.events).toEqual([]);
  });

  it('with nothing new appends nothing', async () => {
    const { store, runner } = openRunner();
    await runner.run('warehouse-a', add('a', 5), anyContext());
    const first = await runner.run('warehouse-a', take('a', 1, 'once'), anyContext());
    const again = await runner.run('warehouse-a', take('a', 1, 'once'), anyContext());
    expect(again).toMatchObject({ events: [], eventIds: [], position: first.position });
    expect(store.log.events).toHaveLength(2);
  });

  it('that a defect stops stops no other', async () => {
    const { store, runner } = openRunner({
      decider: {
        ...stockDecider,
        decide: (command, warehouse) => {
          if (command.data.pieces === 13) throw new TypeError('a defect');
          return stockDecider.decide(command, warehouse);
        },
      },
    });
    const outcomes = await Promise.all(
      [1, 13, 2].map((pieces) =>
        settled(runner.run('warehouse-a', add('a', pieces), anyContext())),
      ),
    );
    expect(outcomes).toEqual(['done', new TypeError('a defect'), 'done']);
    expect(store.log.events).toHaveLength(2);
  });

  it('whose event does not fit its schema is rejected before it is written', async () => {
    const { store, runner } = openRunner();
    await expect(runner.run('warehouse-a', add('a', -1), anyContext())).rejects.toThrow(
      'cannot read PiecesAdded',
    );
    expect(store.appends.calls).toBe(0);
  });
});

describe('commands to one stream', () => {
  it('go down in few appends, each decided on the state after the one before', async () => {
    const { store, runner } = openRunner();
    await runner.run('warehouse-a', add('a', 100), anyContext());
    const outcomes = await Promise.all(
      Array.from({ length: 600 }, () =>
        settled(runner.run('warehouse-a', take('a', 1), anyContext())),
      ),
    );
    expect(outcomes.filter((one) => one === 'done')).toHaveLength(100);
    expect(outcomes.filter((one) => one === 'too_few')).toHaveLength(500);
    expect(store.appends.calls).toBeLessThanOrEqual(1 + Math.ceil(600 / BATCH_COMMANDS_MAX));
    expect((await runner.stateOf('warehouse-a')).state.pieces).toBe(0);
  });

  it('leave a state that is known without a read', async () => {
    const { runner } = openRunner();
    expect(runner.lastStateOf('warehouse-a')).toBeUndefined();
    expect((await runner.stateOf('warehouse-a')).position).toBe(0n);
    expect(runner.lastStateOf('warehouse-a')?.pieces).toBe(0);
    await runner.run('warehouse-a', add('a', 7), anyContext());
    expect(runner.lastStateOf('warehouse-a')?.pieces).toBe(7);
    expect(openRunner().runner.lastStateOf('warehouse-a')).toBeUndefined();
  });

  it('each see the state that they left', async () => {
    const { runner } = openRunner();
    const outcomes = await Promise.all(
      [1, 2, 3].map((pieces) => runner.run('warehouse-a', add('a', pieces), anyContext())),
    );
    expect(outcomes.map(({ state }) => state.pieces)).toEqual([1, 3, 6]);
  });

  it('of which one is too large go down without it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-runner-'));
    const store = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
    const runner = runnerOn(store);
    const notes = ['', 'x'.repeat(2_000_000), 'y'.repeat(600_000), 'z'.repeat(600_000)];
    const outcomes = await Promise.all(
      notes.map((note) => settled(runner.run('warehouse-a', add('a', 1, note), anyContext()))),
    );
    expect(outcomes).toEqual([
      'done',
      expect.objectContaining({ code: 'append-too-large' }),
      'done',
      'done',
    ]);
    expect(await readLog(store)).toHaveLength(3);
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('that repeat a request in flight are decided apart from it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-runner-'));
    const store = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
    const runner = runnerOn(store);
    await runner.run('warehouse-a', add('a', 9), anyContext());
    const context = anyContext();
    const once = take('a', 1, 'once');
    const outcomes = await Promise.all([
      runner.run('warehouse-a', once, context),
      runner.run('warehouse-a', take('a', 2), anyContext()),
      runner.run('warehouse-a', once, context),
    ]);
    expect(outcomes.map(({ events }) => events.length)).toEqual([1, 1, 0]);
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('keep their queue however many other streams are read meanwhile', async () => {
    const { store, runner } = openRunner();
    let release = (): void => undefined;
    store.beforeAppend = () => new Promise<void>((resolve) => (release = resolve));
    const first = runner.run('warehouse-a', add('a', 1), anyContext());
    await new Promise((resolve) => setImmediate(resolve));
    for (let other = 0; other < 20_001; other += 1) await runner.stateOf(`warehouse-${other}`);
    const later = [1, 2].map((pieces) => runner.run('warehouse-a', add('a', pieces), anyContext()));
    store.beforeAppend = () => undefined;
    release();
    await Promise.all([first, ...later]);
    expect(store.appends.calls).toBe(2);
  });
});

describe('when another process appends first', () => {
  it('the command is decided again on the current state', async () => {
    const { store, runner } = openRunner();
    const intruder = intruderOn(store.log);
    await runner.run('warehouse-a', add('a', 2), anyContext());
    await intruder(take('a', 2));
    expect(await settled(runner.run('warehouse-a', take('a', 1), anyContext()))).toBe('too_few');
  });

  it('a domain error rests on the current state', async () => {
    const { store, runner } = openRunner();
    await runner.run('warehouse-a', add('a', 1), anyContext());
    await intruderOn(store.log)(add('a', 9));
    const { state } = await runner.run('warehouse-a', take('a', 5), anyContext());
    expect(state.pieces).toBe(5);
  });

  it('a repeat is answered from the current state', async () => {
    const { store, runner } = openRunner();
    await runner.run('warehouse-a', add('a', 1), anyContext());
    await intruderOn(store.log)(take('a', 1, 'once'));
    const { events } = await runner.run('warehouse-a', take('a', 1, 'once'), anyContext());
    expect(events).toEqual([]);
  });

  it('every time, the caller hears of it after a bounded number of attempts', async () => {
    const { store, runner } = openRunner();
    const intruder = intruderOn(store.log);
    store.beforeAppend = () => intruder(add('a', 1)).then(() => undefined);
    await expect(runner.run('warehouse-a', add('a', 1), anyContext())).rejects.toThrow(
      ContentionError,
    );
    expect(store.appends.calls).toBe(ATTEMPTS_MAX);
    store.beforeAppend = () => undefined;
    const { state } = await runner.run('warehouse-a', add('a', 1), anyContext());
    expect(state.pieces).toBe(ATTEMPTS_MAX + 1);
  });

  it('the state that is asked for is the newest', async () => {
    const { store, runner } = openRunner();
    await runner.run('warehouse-a', add('a', 1), anyContext());
    await intruderOn(store.log)(add('a', 9));
    expect((await runner.stateOf('warehouse-a')).state.pieces).toBe(10);
  });
});

describe('an append', () => {
  it.each(['unknown-done', 'unknown-not-done'] as const)(
    'of unknown outcome (%s) lands once',
    async (fault) => {
      const { store, runner } = openRunner();
      store.appends.plan(fault, fault);
      const { events } = await runner.run('warehouse-a', add('a', 1), anyContext());
      expect(events).toHaveLength(1);
      expect(store.log.events).toHaveLength(1);
    },
  );

  it('of unknown outcome stays unknown when the store goes away', async () => {
    const { store, runner } = openRunner();
    store.appends.plan('unknown-done', 'fail-before', 'fail-before', 'fail-before');
    await expect(runner.run('warehouse-a', take('a', 0, 'once'), anyContext())).rejects.toThrow(
      UnknownOutcomeError,
    );
    const { events } = await runner.run('warehouse-a', take('a', 0, 'once'), anyContext());
    expect(events).toEqual([]);
    expect(store.log.events).toHaveLength(1);
  });

  it('of unknown outcome is repeated on the state that is in the log by then', async () => {
    const { store, runner } = openRunner();
    await runner.run('warehouse-a', add('a', 5), anyContext());
    const context = anyContext();
    store.appends.plan('unknown-done', 'fail-before', 'fail-before', 'fail-before');
    const lost = runner.run('warehouse-a', take('a', 2, 'once'), context);
    await expect(lost).rejects.toThrow(UnknownOutcomeError);
    await intruderOn(store.log)(add('a', 10));
    const { events, state } = await runner.run('warehouse-a', take('a', 2, 'once'), context);
    expect(events).toEqual([]);
    expect(state.pieces).toBe(13);
  });

  it('that the store rejects fails its commands, and the next ones go on', async () => {
    const { store, runner } = openRunner();
    store.appends.plan('fail-before');
    await expect(runner.run('warehouse-a', add('a', 1), anyContext())).rejects.toThrow(
      StoreUnavailableError,
    );
    const { state } = await runner.run('warehouse-a', add('a', 2), anyContext());
    expect(state.pieces).toBe(2);
  });

  it('that fails costs one read of the stream, and not one for each later command', async () => {
    const { store, runner } = openRunner();
    store.appends.plan('fail-before');
    const failed = runner.run('warehouse-a', add('a', 1), anyContext());
    await expect(failed).rejects.toThrow(StoreUnavailableError);
    await runner.run('warehouse-a', add('a', 1), anyContext());
    const { calls } = store.reads;
    await runner.run('warehouse-a', add('a', 1), anyContext());
    expect(store.reads.calls).toBe(calls);
  });

  it('is not tried on a state that could not be read', async () => {
    const { store, runner } = openRunner();
    store.reads.plan('fail-before');
    await expect(runner.run('warehouse-a', add('a', 1), anyContext())).rejects.toThrow('away');
    expect(store.appends.calls).toBe(0);
  });
});

describe('snapshots', () => {
  const open = (log = new MemoryLog(), every = 4) => {
    const readStore = new FaultyReadStore();
    const failures: unknown[] = [];
    const start = () => {
      const store = new FaultyEventStore(log);
      const snapshots = { store: new Snapshots(readStore), plan: warehouseSnapshots(every) };
      const onSnapshotFailure = (error: unknown) => void failures.push(error);
      return { store, runner: runnerOn(store, { snapshots, onSnapshotFailure }) };
    };
    return { readStore, failures, start };
  };

  const fill = async (runner: ReturnType<typeof runnerOn>) => {
    for (let at = 0; at < 10; at += 1) await runner.run('warehouse-a', add('a', 1), anyContext());
  };

  it('spare a fresh process the events before them and give the same state', async () => {
    const { readStore, start } = open();
    await fill(start().runner);
    const [saved] = await readStore.list<{ revision: string }>('snapshots.v1');
    expect(saved?.document.revision).toBe('7');
    const fromSnapshot = await start().runner.stateOf('warehouse-a');
    await readStore.drop('snapshots.v1', 'none');
    expect(await start().runner.stateOf('warehouse-a')).toEqual(fromSnapshot);
    expect(fromSnapshot.state.pieces).toBe(10);
  });

  it('are ignored when they cannot be read, and the failure is reported', async () => {
    const { readStore, failures, start } = open();
    await fill(start().runner);
    readStore.gets.plan('fail-before');
    const { state } = await start().runner.run('warehouse-a', add('a', 1), anyContext());
    expect(state.pieces).toBe(11);
    expect(failures).toHaveLength(1);
  });

  it('are skipped when they cannot be written, and the failure is reported', async () => {
    const { readStore, failures, start } = open();
    readStore.commits.plan('fail-before');
    const { runner } = start();
    await fill(runner);
    expect((await runner.stateOf('warehouse-a')).state.pieces).toBe(10);
    expect(failures).toHaveLength(1);
  });

  it('of a log that was put back to an older copy are not believed', async () => {
    const log = new MemoryLog();
    const { start } = open(log);
    await fill(start().runner);
    log.events.splice(5);
    const { state } = await start().runner.run('warehouse-a', take('a', 1), anyContext());
    expect(state.pieces).toBe(4);
  });

  it('of a log that was put back and has grown again are not believed', async () => {
    const log = new MemoryLog();
    const { start } = open(log);
    await fill(start().runner);
    const before = log.events[7];
    log.events.splice(5);
    const grow = intruderOn(log);
    for (let at = 0; at < 5; at += 1) await grow(add('a', 2));
    // Where the last event of the snapshot was, there is another one.
    expect(log.events[7]).toMatchObject({ revision: 7n, position: before?.position });
    expect((await start().runner.stateOf('warehouse-a')).state.pieces).toBe(15);
  });
});
