import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { leaseEvents } from '#events/platform/lease.events.js';
import { systemClock } from '#platform/kernel/clock.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FaultyEventStore, MemoryLog } from '#platform/runtime/faulty-stores.fake.js';
import { EtcdClient } from '#platform/runtime/lease/etcd-client.js';
import { EtcdRenewals } from '#platform/runtime/lease/etcd-renewals.js';
import { leaseDecider } from '#platform/runtime/lease/lease.decider.js';
import { LeaseKeeper } from '#platform/runtime/lease/lease-keeper.js';
import { type LeadershipTerm } from '#platform/runtime/lease/leadership.port.js';
import { requireProgram } from '../servers/required-program.js';

/** The shortest time that etcd gives a lease with its default settings. */
const TTL_MS = 2_000;
const RENEW_MS = 200;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
};

/** A process that reaches etcd until it does not any more. */
class CutOff extends EtcdClient {
  isAway = false;

  override keepLease(id: string): Promise<boolean> {
    return this.isAway ? Promise.reject(new Error('away')) : super.keepLease(id);
  }

  override grantLease(seconds: number): Promise<string> {
    return this.isAway ? Promise.reject(new Error('away')) : super.grantLease(seconds);
  }
}

/** Fails where the program `etcd` is missing: Debian has it as `etcd-server`. */
describe('an election in etcd', () => {
  /** Undoes what `beforeAll` has done, also when it fails. */
  const closing: (() => Promise<unknown>)[] = [];
  let url: string;
  let fleets = 0;
  const running: LeaseKeeper[] = [];

  beforeAll(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-etcd-'));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    const [client, peer] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${client}`;
    const peers = `http://127.0.0.1:${peer}`;
    const options = {
      'data-dir': folder,
      'listen-client-urls': url,
      'advertise-client-urls': url,
      'listen-peer-urls': peers,
      'initial-advertise-peer-urls': peers,
      'initial-cluster': `default=${peers}`,
    };
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    await requireProgram('etcd');
    const server = spawn('etcd', words, { stdio: 'ignore' });
    closing.push(async () => {
      server.kill('SIGKILL');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    });
    await once(server, 'spawn');
    const etcd = new EtcdClient([url]);
    const isUp = () =>
      etcd.keysOf('up/').then(
        () => true,
        () => false,
      );
    while (!(await isUp())) await sleep(50);
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((keeper) => keeper.stop()));
  });

  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  const openFleet = () => {
    fleets += 1;
    const name = `fleet-${fleets}`;
    const log = new MemoryLog();
    const order: string[] = [];
    const join = (instance: string, etcd = new EtcdClient([url])) => {
      const runner = new CommandRunner({
        decider: leaseDecider,
        eventStore: new FaultyEventStore(log),
        codec: new EventCodec(leaseEvents).for(leaseEvents),
      });
      const renewals = new EtcdRenewals({
        etcd,
        name,
        group: 'reactions',
        instance,
        ttlMs: TTL_MS,
      });
      const settings = { instance, ttlMs: TTL_MS, renewMs: RENEW_MS };
      const logger = pino({ enabled: false });
      const keeper = new LeaseKeeper('reactions', runner, renewals, settings, systemClock, logger);
      const process: { term: LeadershipTerm | undefined } = { term: undefined };
      running.push(keeper);
      keeper.start({
        begin: (term) => {
          order.push(`${instance} begins with ${term.token}`);
          process.term = term;
          return Promise.resolve();
        },
        end: () => {
          order.push(`${instance} ends`);
          process.term = undefined;
          return Promise.resolve();
        },
      });
      return { keeper, process, isLeading: () => process.term?.isHeld() === true };
    };
    return { name, order, join };
  };

  it('lets one of three lead, for longer than a lease, and the next when it stops', async () => {
    const { order, join } = openFleet();
    const fleet = ['one', 'two', 'three'].map((name) => join(name));
    const leading = () => fleet.filter(({ isLeading }) => isLeading());
    await eventually(() => leading().length === 1);
    await eventually(() => fleet.every(({ keeper }) => keeper.status().candidates === 3));
    const [first] = leading();
    await sleep(1.5 * TTL_MS);
    expect(leading()).toEqual([first]);
    expect(fleet.map(({ keeper }) => keeper.status().holder)).toEqual(
      fleet.map(() => first?.keeper.status().instance),
    );
    const stoppedAt = performance.now();
    await first?.keeper.stop();
    await eventually(() => leading().length === 1);
    expect(performance.now() - stoppedAt).toBeLessThan(TTL_MS);
    const [begun, ended, next] = order;
    expect([begun, ended, next]).toEqual([
      expect.stringMatching(/begins with 1$/),
      expect.stringMatching(/ends$/),
      expect.stringMatching(/begins with 2$/),
    ]);
  });

  it('counts processes that join after the leader has taken the lease', async () => {
    const { join } = openFleet();
    const one = join('one');
    await eventually(one.isLeading);
    expect(one.keeper.status().candidates).toBe(1);
    join('two');
    await eventually(() => one.keeper.status().candidates === 2);
  });

  it('passes to the next when the lease of the leader is gone', async () => {
    const { name, order, join } = openFleet();
    const one = join('one');
    await eventually(one.isLeading);
    const two = join('two');
    await eventually(() => two.keeper.status().candidates === 2);
    const etcd = new EtcdClient([url]);
    const [oldest] = await etcd.keysOf(`${name}/reactions/`);
    // As if it had not renewed in time.
    await etcd.revokeLease(oldest?.lease ?? '');
    await eventually(two.isLeading);
    await eventually(() => order.length >= 3);
    expect(order.toSorted()).toEqual(
      ['one begins with 1', 'one ends', 'two begins with 2'].toSorted(),
    );
    expect(one.isLeading()).toBe(false);
  });

  it('passes from a leader that cannot reach etcd, which knows it first', async () => {
    const { order, join } = openFleet();
    const etcd = new CutOff([url]);
    const one = join('one', etcd);
    await eventually(one.isLeading);
    const two = join('two');
    await eventually(() => two.keeper.status().candidates === 2);
    etcd.isAway = true;
    const { term } = one.process;
    await eventually(two.isLeading, 4 * TTL_MS);
    expect(term?.isHeld()).toBe(false);
    expect(order).toEqual(['one begins with 1', 'two begins with 2']);
    etcd.isAway = false;
    await eventually(() => order.includes('one ends'));
    expect(two.isLeading()).toBe(true);
  });

  it('has no leader while etcd does not answer', async () => {
    const { join } = openFleet();
    const etcd = new EtcdClient([`http://127.0.0.1:${await freePort()}`]);
    const away = join('one', etcd);
    await eventually(() => away.keeper.status().failure !== null);
    expect(away.isLeading()).toBe(false);
  });

  it('asks the next endpoint where one does not answer', async () => {
    const { join } = openFleet();
    const etcd = new EtcdClient([`http://127.0.0.1:${await freePort()}`, url]);
    const one = join('one', etcd);
    await eventually(one.isLeading);
  });

  it('makes a name that returns wait for the lease of its last process', async () => {
    const { name, join } = openFleet();
    const etcd = new EtcdClient([url]);
    const crashed = await etcd.grantLease(TTL_MS / 1_000);
    await etcd.createKey(`${name}/reactions/one`, crashed);
    const one = join('one');
    await eventually(() => one.keeper.status().candidates === 1);
    expect(one.isLeading()).toBe(false);
    await eventually(one.isLeading);
    expect(await etcd.keepLease(crashed)).toBe(false);
  });
});
