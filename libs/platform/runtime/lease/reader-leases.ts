import { leaseEvents } from '#events/platform/lease.events.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { CommandRunner } from '../commands/command-runner.js';
import { type Runtime } from '../runtime.js';
import { EtcdClient, type EtcdTarget } from './etcd-client.js';
import { EtcdRenewals } from './etcd-renewals.js';
import { type ReaderLeases } from './leadership.port.js';
import { leaseDecider } from './lease.decider.js';
import { LeaseKeeper, type LeaseSettings } from './lease-keeper.js';
import { heartbeatsOf, READER_GROUPS, type ReaderGroup } from './reader-groups.js';
import { type Renewals } from './renewals.port.js';
import { ShareRequests } from './share-requests.js';
import { SharedLeases } from './shared-leases.js';
import { StoredRenewals } from './stored-renewals.js';

/** Where processes compete: in the read store, or in etcd. */
export type ElectionTarget = { readonly kind: 'log' } | ({ readonly kind: 'etcd' } & EtcdTarget);

/** The leases of the readers, for which this process competes. */
export const readerLeases = (
  { engines, codec }: Pick<Runtime, 'engines' | 'codec'>,
  settings: LeaseSettings & { readonly election: ElectionTarget },
): ReaderLeases => {
  const { eventStore, readStore, leases: store = readStore, clock, logger } = engines;
  const events = codec.for(leaseEvents);
  const leases = READER_GROUPS.map((group) => {
    const runner = new CommandRunner({ decider: leaseDecider, eventStore, codec: events });
    const renewals = renewalsOf(group, store, settings);
    return new LeaseKeeper(group, runner, renewals, settings, clock, logger);
  });
  const requests = new ShareRequests(store);
  return new SharedLeases({ leases, requests, everyMs: settings.renewMs, logger });
};

const renewalsOf = (
  group: ReaderGroup,
  readStore: ReadStore,
  { election, instance, ttlMs }: LeaseSettings & { readonly election: ElectionTarget },
): Renewals => {
  if (election.kind === 'log') return new StoredRenewals(readStore, heartbeatsOf(group), ttlMs);
  const { endpoints, name } = election;
  return new EtcdRenewals({ etcd: new EtcdClient(endpoints), name, group, instance, ttlMs });
};
