import { ClusterLeader, type LeaderView } from '#areas/mesh/cluster-leader.port.js';
import { leaseEvents } from '#events/platform/lease.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { leaseDecider } from '#platform/runtime/lease/lease.decider.js';
import { type LeadershipStatus } from '#platform/runtime/lease/leadership.port.js';
import { leaseStreamOf } from '#platform/runtime/lease/reader-groups.js';
import { type ProcessFacts } from '#platform/runtime/process/process-facts.js';

/** The number of a process in a group on one machine: `quipu-1.3` belongs to `quipu-1`. */
const GROUP_NUMBER = /\.\d+$/;

/**
 * The holder of the lease of the reactions. Where none was ever taken, the stores are embedded, and
 * the processes of this machine, of which one leads, are the whole cluster.
 */
export class LeaseHolder extends ClusterLeader {
  readonly #lease: Pick<CommandRunner<never, typeof leaseDecider.initialState, never>, 'stateOf'>;

  constructor(
    private readonly facts: Pick<ProcessFacts, 'instance' | 'runsReactions' | 'election'>,
    /** Null where this process does not try for the lease. */
    private readonly ownLeadership: () => LeadershipStatus | null,
    eventStore: EventStore,
    codec: EventCodec,
  ) {
    super();
    const events = codec.for(leaseEvents);
    this.#lease = new CommandRunner({ decider: leaseDecider, eventStore, codec: events });
  }

  override async current(): Promise<LeaderView> {
    const own = this.ownLeadership();
    if (own) {
      const { holder: leader, election, candidates: clusterSize, token: term } = own;
      return { leader, election, clusterSize, term };
    }
    const { state } = await this.#lease.stateOf(leaseStreamOf('reactions'));
    const { token, released, holder } = state;
    if (token === 0 || this.facts.runsReactions) return this.#alone();
    const leader = released ? null : holder;
    const { election } = this.facts;
    return { leader, election, clusterSize: null, term: token.toString() };
  }

  #alone(): LeaderView {
    const { instance, runsReactions } = this.facts;
    const leader = runsReactions ? instance : instance.replace(GROUP_NUMBER, '');
    return { leader, election: 'none', clusterSize: 1, term: null };
  }
}
