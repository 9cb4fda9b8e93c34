import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { type Bus, type BusHealth } from '#platform/bus/bus.port.js';
import { type EventStore, type EventStoreHealth } from '#platform/event-store/event-store.port.js';
import { type DamagedEvent } from '#platform/event-store/log-chain.port.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type LeadershipStatus } from '#platform/runtime/lease/leadership.port.js';
import { type LogStanding } from '#platform/runtime/log-standing/log-standing.js';
import { type Runtime } from '#platform/runtime/runtime.js';
import { OpenRequests } from './open-requests.js';
import { Readiness } from './readiness.js';
import { LAG_MS_MAX, RuntimeReadiness } from './runtime.readiness.js';

const subscription = {
  name: 'invoices',
  phase: 'live',
  position: 90n,
  failure: null,
  retryAt: null,
};
const projection = {
  ...subscription,
  projection: 'invoices',
  version: 1,
  generation: 1,
  lag: '10',
  lagMs: 5,
};

interface Parts {
  readonly health: EventStoreHealth | Promise<never>;
  readonly projections: readonly (Omit<typeof projection, 'failure'> & Failing)[];
  readonly reactions: readonly (Omit<typeof subscription, 'failure'> & Failing)[];
  readonly lease: LeadershipStatus | null;
  readonly busHealth: BusHealth;
  readonly needsBus: boolean;
  readonly head: () => Promise<bigint>;
  readonly checkpoint: () => Promise<bigint | undefined>;
  /** Of the log: the first place that it lacks, and whether an operator has confirmed it. */
  readonly standing: Pick<LogStanding, 'doubt' | 'foreign'>;
  /** Events that the codec could not read. */
  readonly unreadable: readonly DamagedEvent[];
}

interface Failing {
  readonly failure: string | null;
}

/** A process whose components report the given states. */
const openProcess = ({
  health = { writable: true, reason: null },
  projections = [projection],
  reactions = [{ ...subscription, name: 'hold-expiry' }],
  lease = null,
  busHealth = { reachable: true, reason: null },
  needsBus = true,
  head = () => Promise.resolve(100n),
  checkpoint = () => Promise.resolve(undefined),
  standing = { doubt: null, foreign: null },
  unreadable = [],
}: Partial<Parts> = {}) => {
  const requests = new OpenRequests(new Registry());
  const runtime = {
    projectionHost: { status: () => Promise.resolve(projections) },
    reactions: () => reactions,
    leases: () => (lease ? [lease] : []),
    codec: { unreadable: () => unreadable },
    standing,
  } as unknown as Runtime;
  const eventStore = {
    health: () => Promise.resolve<EventStoreHealth>(health),
    head,
  } as unknown as EventStore;
  const readStore = { checkpoint } as unknown as ReadStore;
  const bus = { health: () => Promise.resolve(busHealth) } as unknown as Bus;
  const area = {
    readiness: () => ({ reasons: [], facts: { catalog: { models: 1, failure: null }, rigs: [] } }),
  };
  const runtimeChecks = new RuntimeReadiness(runtime, eventStore, readStore, bus, {
    needsBus: () => needsBus,
  });
  const readiness = new Readiness([runtimeChecks, requests, area]);
  return { readiness, requests };
};

describe('readiness', () => {
  it('reports a ready process with the facts of every check', async () => {
    const { readiness, requests } = openProcess();
    const open = requests.open(1_000);
    const report = await readiness.report();
    open.close();
    expect(report).toEqual({
      status: 'ready',
      reasons: [],
      details: [],
      event_store: { writable: true, reason: null },
      read_store: { reachable: true, reason: null },
      bus: { reachable: true, reason: null },
      lease: null,
      reader_groups: [],
      head: '100',
      projections: [{ ...projection, position: '90' }],
      reactions: [{ ...subscription, name: 'hold-expiry', position: '90' }],
      catalog: { models: 1, failure: null },
      rigs: [],
      open_requests: 1,
    });
    expect(() => JSON.stringify(report)).not.toThrow();
  });

  it('names events that the store or the codec could not read', async () => {
    const stored = { position: 7n, stream: 'account-ada', reason: 'it cannot be read: no JSON' };
    const unfit = { position: 9n, stream: null, reason: 'cannot read HoldPlaced version 1' };
    const health = { writable: true, reason: null, damaged: [stored] };
    const report = await openProcess({ health, unreadable: [unfit] }).readiness.report();
    expect(report).toMatchObject({
      status: 'not_ready',
      reasons: ['event_log_damaged'],
      details: [
        'the log is damaged: the event at position 7 of account-ada: it cannot be read: no JSON',
        'the log is damaged: the event at position 9 of an unknown stream: ' +
          'cannot read HoldPlaced version 1',
      ],
    });
    expect(() => JSON.stringify(report)).not.toThrow();
  });

  it('names a read model and a reaction that are ahead of the log', async () => {
    const head = () => Promise.resolve(89n);
    const { reasons, details } = await openProcess({ head }).readiness.report();
    expect(reasons).toEqual(['log_foreign']);
    expect(details).toEqual([
      'invoices is at position 90, and the log ends at 89: ' +
        'the log was exchanged while this process ran',
      'hold-expiry is at position 90, and the log ends at 89: ' +
        'the log was exchanged while this process ran',
    ]);
  });

  const place = {
    checkpoint: { name: 'account-1', position: 7n, event: null },
    reason: 'the log does not have the event 7',
  };

  it('names a log that no operator has confirmed', async () => {
    const standing = { doubt: place, foreign: place };
    const { reasons, details } = await openProcess({ standing }).readiness.report();
    expect(reasons).toEqual(['log_foreign']);
    expect(details).toEqual([
      'account-1: the log does not have the event 7; ' +
        'paid work is refused until an operator confirms the log (quipu log confirm)',
    ]);
  });

  it('names read models that are not of a confirmed log, once', async () => {
    const standing = { doubt: null, foreign: place };
    expect((await openProcess({ standing }).readiness.report()).details).toEqual([
      'account-1: the log does not have the event 7; ' +
        'the log is confirmed, and the read models are not of it: delete them',
    ]);
    const head = () => Promise.resolve(89n);
    const { details } = await openProcess({ standing, head, reactions: [] }).readiness.report();
    expect(details).toEqual([expect.stringContaining('invoices is at position 90')]);
  });

  it('is withheld until the start releases it', async () => {
    const { readiness } = openProcess();
    const release = readiness.holdBack('starting');
    expect(await readiness.report()).toMatchObject({ status: 'not_ready', reasons: ['starting'] });
    release();
    expect(await readiness.report()).toMatchObject({ status: 'ready', reasons: [] });
  });

  it('names an event store that rejects writes', async () => {
    const health = { writable: false, reason: 'no space left on device' };
    expect(await openProcess({ health }).readiness.report()).toMatchObject({
      status: 'not_ready',
      reasons: ['event_log_unavailable'],
      details: ['the log cannot be written: no space left on device'],
    });
  });

  it.each<[string, Partial<Parts>]>([
    ['projection', { projections: [{ ...projection, phase: 'stopped', failure: 'bad event' }] }],
    ['saga', { reactions: [{ ...subscription, phase: 'stopped', failure: 'bad event' }] }],
  ])('names a %s that has stopped', async (_, parts) => {
    expect(await openProcess(parts).readiness.report()).toMatchObject({
      status: 'not_ready',
      reasons: ['reader_stopped'],
      details: ['invoices has stopped: bad event'],
    });
  });

  it('names a projection above the limit of lag, but not at the limit', async () => {
    const behind = { ...projection, lagMs: LAG_MS_MAX + 1 };
    expect(await openProcess({ projections: [behind] }).readiness.report()).toMatchObject({
      status: 'not_ready',
      reasons: ['read_model_lagging'],
      details: ['invoices is 20 s behind'],
    });
    const close = { ...projection, lagMs: LAG_MS_MAX };
    expect(await openProcess({ projections: [close] }).readiness.report()).toMatchObject({
      status: 'ready',
    });
  });

  it('names a read store that does not answer', async () => {
    const checkpoint = () => Promise.reject(new Error('connection refused'));
    expect(await openProcess({ checkpoint }).readiness.report()).toMatchObject({
      status: 'not_ready',
      reasons: ['read_store_unavailable'],
      details: ['the read store does not answer: connection refused'],
      read_store: { reachable: false, reason: 'connection refused' },
    });
  });

  it('names a bus that cannot be reached', async () => {
    const busHealth = { reachable: false, reason: 'no broker answers' };
    expect(await openProcess({ busHealth }).readiness.report()).toMatchObject({
      status: 'not_ready',
      reasons: ['bus_unavailable'],
      details: ['the bus cannot be reached: no broker answers'],
    });
  });

  it('reports a bus that is not needed, and is ready without it', async () => {
    const busHealth = { reachable: false, reason: 'no broker answers' };
    expect(await openProcess({ busHealth, needsBus: false }).readiness.report()).toMatchObject({
      status: 'ready',
      reasons: [],
      bus: busHealth,
    });
  });

  it.each<[string, string, Partial<Parts>]>([
    ['log', 'event_log_unavailable', { health: new Promise<never>(() => undefined) }],
    ['read store', 'read_store_unavailable', { checkpoint: () => new Promise(() => undefined) }],
    ['head of the log', 'read_models_unknown', { head: () => new Promise(() => undefined) }],
  ])('answers within 500 ms when the %s hangs', async (_, code, parts) => {
    const { readiness } = openProcess(parts);
    const startedAt = performance.now();
    const report = await readiness.report();
    expect(performance.now() - startedAt).toBeLessThan(500);
    expect(report).toMatchObject({ status: 'not_ready', reasons: [code] });
  });

  it('goes by the last answer for a second when a server hangs', async () => {
    let hangs = false;
    const head = () => (hangs ? new Promise<bigint>(() => undefined) : Promise.resolve(100n));
    const { readiness } = openProcess({ head });
    await readiness.report();
    hangs = true;
    expect(await readiness.report()).toMatchObject({ status: 'ready', head: '100' });
    await sleep(1_000);
    expect(await readiness.report()).toMatchObject({
      status: 'not_ready',
      reasons: ['read_models_unknown'],
      head: '100',
      projections: [{ ...projection, position: '90' }],
    });
  });

  it('does not wait for a check that is late, and reports its last part', async () => {
    let hangs = true;
    const part = { reasons: [], facts: { tasks: 3 } };
    const late = () => (hangs ? new Promise<never>(() => undefined) : Promise.resolve(part));
    const readiness = new Readiness([{ readiness: late }]);
    expect(await readiness.report()).toMatchObject({ reasons: ['health_check_late'] });
    hangs = false;
    expect(await readiness.report()).toMatchObject({ status: 'ready', tasks: 3 });
    hangs = true;
    expect(await readiness.report()).toMatchObject({ status: 'ready', tasks: 3 });
  });

  const standby: LeadershipStatus = {
    group: 'reactions',
    role: 'standby',
    instance: 'projector-2',
    token: '7',
    holder: 'projector-1',
    failure: null,
    election: 'log',
    candidates: null,
  };

  it('is ready while it waits for the lease, but not after a failed request for it', async () => {
    expect(await openProcess({ lease: standby }).readiness.report()).toMatchObject({
      status: 'ready',
      lease: standby,
    });
    const lease = { ...standby, failure: 'the log is away' };
    expect(await openProcess({ lease }).readiness.report()).toMatchObject({
      status: 'not_ready',
      reasons: ['lease_unavailable'],
      details: ['the lease of reactions cannot be requested: the log is away'],
    });
  });

  it('ends when a drain begins', async () => {
    const { readiness, requests } = openProcess();
    await requests.drain(1);
    expect(await readiness.report()).toMatchObject({ status: 'not_ready', reasons: ['draining'] });
  });
});
