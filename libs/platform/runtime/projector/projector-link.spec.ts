import { MessageChannel } from 'node:worker_threads';
import { Module } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type BusMessage } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { ThreadCalls } from '#platform/threads/thread-calls.js';
import { defineArea } from '../areas/area.js';
import { CommandRunner } from '../commands/command-runner.js';
import { FaultyEventStore, FaultyReadStore, MemoryLog } from '../faulty-stores.fake.js';
import { Runtime } from '../runtime.js';
import { add, anyContext, movableClock, silent, stockDecider } from '../stock.fixture.js';
import { stockEvents, warehouses } from '../stock.fixture.js';
import { BridgedBus } from './bridged-bus.js';
import { projectorAnswers } from './projector-answers.js';
import { ProjectorLink } from './projector-link.js';
import { type ProcessCalls, type ProjectorCalls } from './projector.protocol.js';

@Module({})
class StockModule {}

const stock = defineArea({
  name: 'stock',
  events: stockEvents,
  projections: [warehouses],
  module: StockModule,
});

/** A process and its projector, which share a log and a read store and nothing else. */
class SplitProcess {
  readonly link = new ProjectorLink('thread');
  readonly runtime: Runtime;
  readonly reloads: string[] = [];
  readonly #readStore = new FaultyReadStore();
  readonly #log = new MemoryLog();
  readonly #channels: MessageChannel[] = [];
  #projector: Runtime | undefined;

  constructor() {
    this.runtime = new Runtime(this.#engines(), [stock], this.link);
  }

  async startProjector(): Promise<void> {
    const channel = new MessageChannel();
    this.#channels.push(channel);
    const projector = new Runtime(this.#engines(), [stock]);
    this.#projector = projector;
    await projector.startProjections();
    const there = new ThreadCalls<ProcessCalls, ProjectorCalls>(channel.port2, {});
    const reload = () => Promise.resolve(void this.reloads.push('projector'));
    there.offer({ ...projectorAnswers(projector), reload });
    this.link.connect(new ThreadCalls(channel.port1, {}), () => 0.5);
  }

  async loseProjector(): Promise<void> {
    await this.#projector?.stop();
    this.link.disconnect('the thread ended');
  }

  async add(pieces: number): Promise<void> {
    const { codec, engines } = this.runtime;
    const parts = { decider: stockDecider, eventStore: engines.eventStore };
    const runner = new CommandRunner({ ...parts, codec: codec.for(stockEvents) });
    await runner.run('warehouse-a', add('a', pieces), anyContext());
  }

  async pieces(): Promise<number | undefined> {
    return (await this.runtime.projections.get(warehouses, 'a')).document?.pieces;
  }

  async close(): Promise<void> {
    await this.#projector?.stop();
    await this.runtime.stop();
    for (const { port1 } of this.#channels) port1.close();
  }

  #engines() {
    const eventStore = new FaultyEventStore(this.#log);
    const bus = createInProcessBus();
    return { eventStore, readStore: this.#readStore, bus, clock: movableClock(), logger: silent };
  }
}

describe('a process with a projector in a thread', () => {
  const opened: SplitProcess[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

  const open = async (): Promise<SplitProcess> => {
    const split = new SplitProcess();
    opened.push(split);
    await split.startProjector();
    await split.runtime.startFollowing();
    return split;
  };

  it('answers with the caller’s own write', async () => {
    const split = await open();
    for (let pieces = 1; pieces <= 20; pieces += 1) {
      await split.add(1);
      expect(await split.pieces()).toBe(pieces);
    }
  });

  it('shows the runners of the projector as they are', async () => {
    const split = await open();
    await split.add(1);
    await split.pieces();
    const [status] = await split.runtime.projectionHost.status();
    expect(status).toMatchObject({ phase: 'live', position: 1n, failure: null, lagMs: 0 });
    expect(await split.link.status()).toMatchObject({ sagas: [], damaged: [] });
    expect(split.link.utilization).toBe(0.5);
  });

  it('says why projections do not run, and continues with the next projector', async () => {
    const split = await open();
    await split.add(1);
    await split.loseProjector();
    const [status] = await split.runtime.projectionHost.status();
    expect(status).toMatchObject({ phase: 'stopped', failure: 'the thread ended' });
    await expect(split.link.status()).rejects.toThrow('the thread ended');
    expect(split.link.losses).toBe(1);
    await split.add(1);
    const waiting = split.pieces();
    await split.startProjector();
    expect(await waiting).toBe(2);
  });

  it('follows a rebuild that the projector has adopted', async () => {
    const split = await open();
    await split.add(3);
    await split.pieces();
    await split.runtime.projectionHost.rebuild('warehouses');
    await split.add(1);
    expect(await split.pieces()).toBe(4);
  });

  it('lets the projector read its configuration again', async () => {
    const split = await open();
    await split.link.reload();
    expect(split.reloads).toEqual(['projector']);
  });
});

describe('the bus of a projector in a thread', () => {
  it('publishes on the bus of its process, and does not consume', async () => {
    const published: (readonly [string, readonly BusMessage[]])[] = [];
    const bus = new BridgedBus(({ topic, messages }) =>
      Promise.resolve(void published.push([topic, messages])),
    );
    const message = { key: 'k', id: 'id', headers: {}, data: { a: 1 } };
    await bus.publish('topic', [message]);
    expect(published).toEqual([['topic', [message]]]);
    await expect(bus.consume()).rejects.toThrow('publishes only');
  });
});
