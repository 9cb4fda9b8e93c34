import { describe, expect, it } from '@jest/globals';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { CommandRunner } from '../commands/command-runner.js';
import { FaultyEventStore, FaultyReadStore, MemoryLog } from '../faulty-stores.fake.js';
import { add, anyContext, stockCodec, type StockCommand } from '../stock.fixture.js';
import { stockDecider, stockEvents, take } from '../stock.fixture.js';
import { LogTrust } from '../subscriptions/log-trust.js';
import { epochOf, ForeignLogError } from './log-epoch.js';
import { LogStanding } from './log-standing.js';

const WAREHOUSE = 'warehouse-a';

/** The commands of one process. */
const runnerOn = (eventStore: EventStore) => {
  const codec = stockCodec().for(stockEvents);
  const runner = new CommandRunner({ decider: stockDecider, eventStore, codec });
  const run = (command: StockCommand) => runner.run(WAREHOUSE, command, anyContext());
  return { runner, run };
};

/** The command line of the operator, which is another process. */
const confirmOn = (log: MemoryLog) => {
  const eventStore = new FaultyEventStore(log);
  const trust = new LogTrust(eventStore, new FaultyReadStore());
  return new LogStanding(trust, eventStore, { now: () => 0 }).confirm('restored', anyContext());
};

const isLost = (work: Promise<unknown>): Promise<void> =>
  expect(work).rejects.toThrow(ForeignLogError);

/** A process that has folded two events; the log is exchanged for a copy with the first one. */
const exchanged = async () => {
  const store = new FaultyEventStore();
  const { log } = store;
  const { runner, run } = runnerOn(store);
  for (const pieces of [5, 20]) await run(add('a', pieces));
  const events = log.events.splice(1);
  const other = runnerOn(new FaultyEventStore(log)).run;
  return { store, log, runner, run, other, events };
};

describe('a log that is exchanged for an older copy beneath the process', () => {
  it('has no command decided until an operator has confirmed it', async () => {
    const { log, runner, run } = await exchanged();
    const there = log.events.length;
    for (const command of [take('a', 7), add('a', 1), take('a', 1_000)]) await isLost(run(command));
    await isLost(runner.stateOf(WAREHOUSE));
    expect(log.events).toHaveLength(there);
    await confirmOn(log);
    await expect(run(take('a', 7))).rejects.toThrow(DomainError);
    expect((await run(add('a', 1))).state.pieces).toBe(6);
  });

  it('is foreign also where it has grown past the lost events', async () => {
    const { log, runner, run, other } = await exchanged();
    for (const pieces of [1, 1, 1]) await other(take('a', pieces));
    await isLost(run(add('a', 1)));
    await isLost(runner.stateOf(WAREHOUSE));
    await confirmOn(log);
    expect((await runner.stateOf(WAREHOUSE)).state.pieces).toBe(2);
    expect((await run(add('a', 1))).state.pieces).toBe(3);
  });

  it('has every stream folded again, also one that is as long as the lost one', async () => {
    const { store, log, runner, run, other } = await exchanged();
    await other(take('a', 1));
    await confirmOn(log);
    await epochOf(store).look();
    expect(runner.lastStateOf(WAREHOUSE)).toBeUndefined();
    expect((await run(add('a', 1))).state.pieces).toBe(5);
  });

  it('is trusted again when the right log is back', async () => {
    const { store, log, run, events } = await exchanged();
    await isLost(run(add('a', 1)));
    log.events.push(...events);
    expect((await run(add('a', 1))).state.pieces).toBe(26);
    expect(epochOf(store).lost).not.toBeNull();
    await epochOf(store).look();
    expect(epochOf(store).lost).toBeNull();
  });

  it('is not confirmed by a confirmation from before the exchange', async () => {
    const log = new MemoryLog();
    await confirmOn(log);
    const { run } = runnerOn(new FaultyEventStore(log));
    await run(add('a', 5));
    log.events.splice(1);
    await isLost(run(add('a', 1)));
  });
});
