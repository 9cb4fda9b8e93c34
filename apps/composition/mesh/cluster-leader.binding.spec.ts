import { describe, expect, it } from '@jest/globals';
import { LeaseTaken, leaseEvents } from '#events/platform/lease.events.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FaultyEventStore, MemoryLog } from '#platform/runtime/faulty-stores.fake.js';
import { leaseDecider } from '#platform/runtime/lease/lease.decider.js';
import { leaseStreamOf } from '#platform/runtime/lease/reader-groups.js';
import { LeaseHolder } from './cluster-leader.binding.js';

const REQUEST_ID = '0b8f7c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c';
const AT = '2026-11-22T10:00:00.000Z';

describe('the leader of an installation', () => {
  const eventStore = new FaultyEventStore(new MemoryLog());
  const codec = new EventCodec(leaseEvents);
  const leases = new CommandRunner({
    decider: leaseDecider,
    eventStore,
    codec: codec.for(leaseEvents),
  });
  const holderFor = (instance: string, runsReactions: boolean) =>
    new LeaseHolder({ instance, runsReactions, election: 'log' }, () => null, eventStore, codec);
  const alone = { leader: 'quipu', election: 'none', clusterSize: 1, term: null };

  it('is this machine where no lease was ever taken', async () => {
    expect(await holderFor('quipu', true).current()).toEqual(alone);
    expect(await holderFor('quipu.3', false).current()).toEqual(alone);
  });

  it('is the holder that this process knows, where it tries for the lease', async () => {
    const process = { group: 'reactions', role: 'standby', instance: 'one' } as const;
    const status = { ...process, holder: 'two', failure: null } as const;
    const known = { ...status, token: '4', election: 'etcd', candidates: 3 } as const;
    const facts = { instance: 'one', runsReactions: true, election: 'etcd' } as const;
    const holder = new LeaseHolder(facts, () => known, eventStore, codec);
    const leader = { leader: 'two', election: 'etcd', clusterSize: 3, term: '4' };
    expect(await holder.current()).toEqual(leader);
  });

  it('is the holder in the log for every other process, until it is released', async () => {
    const lease = { lease: 'reactions', holder: 'two' } as const;
    const take = { type: 'TakeLease', data: { ...lease, over: 0, takenAt: AT } } as const;
    const { events } = await leases.run(
      leaseStreamOf('reactions'),
      take,
      contextOf(REQUEST_ID, 'system'),
    );
    expect(events).toEqual([LeaseTaken.of({ ...lease, token: 1, from: null, takenAt: AT })]);
    const view = { election: 'log', clusterSize: null, term: '1' };
    expect(await holderFor('one', false).current()).toEqual({ ...view, leader: 'two' });
    const release = { type: 'ReleaseLease', data: { ...lease, token: 1, releasedAt: AT } } as const;
    await leases.run(leaseStreamOf('reactions'), release, contextOf(REQUEST_ID, 'system'));
    expect(await holderFor('one', false).current()).toEqual({ ...view, leader: null });
  });
});
