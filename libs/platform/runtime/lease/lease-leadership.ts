import { leaseEvents } from '#events/platform/lease.events.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { CommandRunner } from '../commands/command-runner.js';
import { type Runtime } from '../runtime.js';
import { EtcdClient, type EtcdTarget } from './etcd-client.js';
import { EtcdRenewals } from './etcd-renewals.js';
import { type Leadership } from './leadership.port.js';
import { leaseDecider } from './lease.decider.js';
import { LeaseKeeper, type LeaseSettings } from './lease-keeper.js';
import { type Renewals } from './renewals.port.js';
import { StoredRenewals } from './stored-renewals.js';

/** Where processes compete: in the read store, or in etcd. */
export type ElectionTarget = { readonly kind: 'log' } | ({ readonly kind: 'etcd' } & EtcdTarget);

/** Competes for the lease of the readers on behalf of this process. */
export const leaseLeadership = (
  { engines, codec }: Pick<Runtime, 'engines' | 'codec'>,
  settings: LeaseSettings & { readonly election: ElectionTarget },
): Leadership => {
  const { eventStore, readStore, leases = readStore, clock, logger } = engines;
  const events = codec.for(leaseEvents);
  const runner = new CommandRunner({ decider: leaseDecider, eventStore, codec: events });
  return new LeaseKeeper(runner, renewalsOf(leases, settings), settings, clock, logger);
};

const renewalsOf = (
  readStore: ReadStore,
  { election, instance, ttlMs }: LeaseSettings & { readonly election: ElectionTarget },
): Renewals => {
  if (election.kind === 'log') return new StoredRenewals(readStore, ttlMs);
  const { endpoints, name } = election;
  return new EtcdRenewals({ etcd: new EtcdClient(endpoints), name, instance, ttlMs });
};
