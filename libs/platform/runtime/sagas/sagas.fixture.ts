import { expect } from '@jest/globals';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import { type AnySaga, type SagaCommand } from '#platform/kernel/saga.js';
import { CommandRunner } from '../commands/command-runner.js';
import { type CommandContext } from '../commands/command-context.js';
import { FaultyEventStore, FaultyReadStore, MemoryLog } from '../faulty-stores.fake.js';
import { type TimerDocument } from './saga-documents.js';
import { Sagas } from './sagas.js';
import {
  anyContext,
  movableClock,
  silent,
  stockCodec,
  type StockCommand,
  stockDecider,
  stockEvents,
} from '../stock.fixture.js';

interface Sent {
  readonly command: string;
  readonly data: unknown;
  readonly context: CommandContext;
}

/** The state that outlives a process: the log, the documents, the bus and the clock. */
export const openSagaWorld = () => {
  const log = new MemoryLog();
  const readStore = new FaultyReadStore();
  const clock = movableClock();
  const sent: Sent[] = [];
  const published: BusMessage[] = [];
  const running: Sagas[] = [];
  const rejecting = new Map<string, Error>();
  const eventStore = new FaultyEventStore(log);
  const runner = new CommandRunner({
    decider: stockDecider,
    eventStore,
    codec: stockCodec().for(stockEvents),
  });

  const run = async (...commands: readonly StockCommand[]): Promise<void> => {
    for (const one of commands)
      await runner.run(`warehouse-${one.data.warehouse}`, one, anyContext());
  };

  const startSagas = (...list: readonly AnySaga[]) => {
    const bus: Pick<Bus, 'publish'> = {
      publish: (_, messages) => Promise.resolve(void published.push(...messages)),
    };
    const send = ({ type: command, data }: SagaCommand, context: CommandContext): Promise<void> => {
      const { warehouse } = data as { warehouse: string };
      const error = rejecting.get(warehouse);
      sent.push({ command, data, context });
      return error ? Promise.reject(error) : Promise.resolve();
    };
    const sagas = new Sagas(
      list.map((saga) => ({ saga, send })),
      new FaultyEventStore(log),
      readStore,
      stockCodec(),
      bus as Bus,
      clock,
      silent,
    );
    running.push(sagas);
    sagas.start();
    const caughtUp = async () => {
      expect(await sagas.reach(await eventStore.head(), 5_000)).toBe(true);
    };
    /** Moves the clock and fires the timers that are due by then. */
    const at = async (instant: string) => {
      clock.nowMs = Date.parse(instant);
      await sagas.fireDueTimers();
      await sagas.fireDueTimers();
    };
    return { sagas, caughtUp, at };
  };

  /** Stops every saga host that was started. */
  const stop = async (): Promise<void> => {
    await Promise.all(running.splice(0).map((sagas) => sagas.stop()));
  };

  const sentBy = (command: string) => sent.filter((one) => one.command === command);
  const timers = (saga: string) => readStore.list<TimerDocument>(`saga.${saga}.timers`);
  return {
    log,
    readStore,
    clock,
    sent,
    sentBy,
    published,
    rejecting,
    run,
    startSagas,
    stop,
    timers,
  };
};

export type SagaWorld = ReturnType<typeof openSagaWorld>;
