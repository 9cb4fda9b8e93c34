import { Module } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { defineArea } from './area.js';
import { FaultyEventStore, FaultyReadStore } from '../faulty-stores.fake.js';
import { type CommandSender, type LeaderService } from './leader-service.js';
import { LeaseLostError } from '../lease/fenced-read-store.js';
import { ScriptedLeases } from '../lease/scripted-leases.fake.js';
import { type RunnerStatus } from '../subscriptions/log-progress.js';
import { Runtime } from '../runtime.js';
import { movableClock, silent } from '../stock.fixture.js';

/** Keeps the sender of each term. */
class Night implements LeaderService {
  readonly senders: CommandSender[] = [];
  readonly calls: string[] = [];
  rejectsStart = false;

  start(sender: CommandSender): Promise<void> {
    this.calls.push('start');
    this.senders.push(sender);
    return this.rejectsStart ? Promise.reject(new Error('not now')) : Promise.resolve();
  }

  stop(): Promise<void> {
    this.calls.push('stop');
    return Promise.resolve();
  }

  status(): RunnerStatus {
    return { name: 'night', phase: 'live', position: 7n, failure: null, retryAt: null };
  }
}

@Module({ providers: [Night] })
class WatchModule {}

const watch = defineArea({ name: 'watch', module: WatchModule, leaderServices: [Night] });

describe('a leader service', () => {
  const running: Runtime[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((runtime) => runtime.stop()));
  });

  const open = () => {
    const runtime = new Runtime(
      {
        eventStore: new FaultyEventStore(),
        readStore: new FaultyReadStore(),
        bus: createInProcessBus(),
        clock: movableClock(),
        logger: silent,
      },
      [watch],
    );
    running.push(runtime);
    const night = new Night();
    const sent: unknown[] = [];
    const sender = { execute: (command: object) => Promise.resolve(sent.push(command)) };
    return { runtime, night, sent, sender, serviceOf: () => night };
  };

  it('runs with the reactions of a single process, and stops with them', async () => {
    const { runtime, night, sent, sender, serviceOf } = open();
    await runtime.startReactions(sender, serviceOf);
    await night.senders[0]?.execute({ ring: 1 });
    expect(sent).toEqual([{ ring: 1 }]);
    expect(runtime.reactions()).toContainEqual(night.status());
    await runtime.stop();
    expect(night.calls).toEqual(['start', 'stop']);
  });

  it('runs in the leader, for each of its terms', async () => {
    const { runtime, night, sender, serviceOf } = open();
    const lease = new ScriptedLeases();
    await runtime.startFollowing();
    runtime.startUnder(lease, sender, serviceOf);
    expect(night.calls).toEqual([]);
    await lease.give(1n);
    await lease.take();
    await lease.give(1n);
    expect(night.calls).toEqual(['start', 'stop', 'start']);
  });

  it('sends nothing after the lease was lost', async () => {
    const { runtime, night, sent, sender, serviceOf } = open();
    const lease = new ScriptedLeases();
    await runtime.startFollowing();
    runtime.startUnder(lease, sender, serviceOf);
    await lease.give(1n);
    lease.expire();
    await expect(night.senders[0]?.execute({ ring: 2 })).rejects.toBeInstanceOf(LeaseLostError);
    expect(sent).toEqual([]);
  });

  it('that cannot start gives up the leadership, and is stopped', async () => {
    const { runtime, night, sender, serviceOf } = open();
    const lease = new ScriptedLeases();
    night.rejectsStart = true;
    await runtime.startFollowing();
    runtime.startUnder(lease, sender, serviceOf);
    await expect(lease.give(1n)).rejects.toThrow('not now');
    await lease.take();
    expect(night.calls).toEqual(['start', 'stop']);
  });

  it('needs a process that has the providers of its area', async () => {
    const { runtime, sender } = open();
    await expect(runtime.startReactions(sender)).rejects.toThrow('no source of Night');
  });
});
