import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { CommitGroups } from '#platform/read-store/commit-groups.js';
import { ForwardingReadStore } from '#platform/read-store/forwarding-read-store.js';
import { type ReadStoreCommit } from '#platform/read-store/read-store.port.js';
import { FaultyEventStore, FaultyReadStore, MemoryLog } from '../faulty-stores.fake.js';
import { ProjectionHost } from '../projections/projection-host.js';
import {
  movableClock,
  silent,
  stockCodec,
  warehouses,
  type WarehouseView,
} from '../stock.fixture.js';

const COMMIT_MS = 300;
const EVENTS = 50_000;
const WAREHOUSES = 200;
const READERS = 12;

/** One group of commits at a time, each of which takes its time: a busy server. */
class SlowReadStore extends ForwardingReadStore {
  groups = 0;
  readonly #commits = new CommitGroups<ReadStoreCommit>(async (group) => {
    this.groups += 1;
    await sleep(COMMIT_MS);
    for (const commit of group) await super.commit(commit);
    return group.map(() => null);
  });

  override commit(commit: ReadStoreCommit): Promise<void> {
    return this.#commits.add(commit);
  }
}

/** Events of a live log: each takes up three positions, as in the fake. */
const fill = (log: MemoryLog, from: number, count: number): void => {
  const metadata = { version: 1, correlationId: 'a', causationId: 'a', requestId: 'a', actor: 'a' };
  for (let at = from; at < from + count; at += 1) {
    const warehouse = `w${at % WAREHOUSES}`;
    log.events.push({
      id: `id-${at}`,
      type: 'PiecesAdded',
      data: { warehouse, pieces: 1, note: '' },
      metadata,
      stream: `warehouse-${warehouse}`,
      revision: BigInt(Math.floor(at / WAREHOUSES)),
      position: BigInt(at * 3 + 1),
      recordedAt: '2026-01-01T00:00:00.000Z',
    });
  }
  log.appended.emit('appended');
};

describe('a backlog on a slow read store', () => {
  const hosts: ProjectionHost[] = [];
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.stop())));

  const open = (log: MemoryLog, stored: FaultyReadStore) => {
    const eventStore = new FaultyEventStore(log);
    const readStore = new SlowReadStore(stored);
    const projections = Array.from({ length: READERS }, (_, index) => {
      return { ...warehouses, name: `warehouses-${index}` };
    });
    const codec = stockCodec();
    const host = new ProjectionHost(
      projections,
      eventStore,
      readStore,
      codec,
      movableClock(),
      silent,
    );
    hosts.push(host);
    const caughtUp = async (): Promise<void> => {
      const head = await eventStore.head();
      const isThere = async () => {
        const runners = await host.runners();
        return runners.every(({ phase, position }) => phase === 'live' && position === head);
      };
      await eventually(isThere);
    };
    return { eventStore, readStore, host, caughtUp };
  };

  it('is worked off by all readers on one walk, in few commits', async () => {
    const log = new MemoryLog();
    const stored = new FaultyReadStore();
    fill(log, 0, EVENTS);
    const { eventStore, readStore, host, caughtUp } = open(log, stored);
    await host.start();
    await caughtUp();
    // A reader of its own would need a commit for each page: hundreds in all.
    expect(readStore.groups).toBeLessThan(40);
    expect(eventStore.eventsRead).toBeLessThanOrEqual(2 * EVENTS);
    for (let reader = 0; reader < READERS; reader += 1) {
      const views = await stored.list<WarehouseView>(`warehouses-${reader}.v1.g1`);
      expect(views.map(({ document }) => document.events)).toEqual(
        Array.from({ length: WAREHOUSES }, () => EVENTS / WAREHOUSES),
      );
    }
  });

  it('is taken over from the stored checkpoints', async () => {
    const log = new MemoryLog();
    const stored = new FaultyReadStore();
    fill(log, 0, 5_000);
    const first = open(log, stored);
    await first.host.start();
    await first.caughtUp();
    await first.host.stop();
    fill(log, 5_000, 500);
    const next = open(log, stored);
    await next.host.start();
    await next.caughtUp();
    expect(next.eventStore.eventsRead).toBeLessThanOrEqual(2 * 500);
  });
});
