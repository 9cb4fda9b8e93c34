/** The facts about a process that its services need. */
export class ProcessFacts {
  /** The name of this process, unique in the fleet; a letter, then up to 100 of `a-z 0-9 - .`. */
  readonly instance: string;
  /** Where this process is, as its operator names it; null: in no region. */
  readonly region: string | null;
  /** Whether the bus connects this process to others. */
  readonly sharesBus: boolean;
  /** Whether this process runs sagas and consumers, or waits for the lease to run them. */
  readonly runsReactions: boolean;
  /** Whether attempts of jobs run here: not in the thread of a projector, which has no bus. */
  readonly hostsJobs: boolean;
  /** Where processes elect the one that runs sagas, if there are several. */
  readonly election: 'log' | 'etcd';

  constructor({
    instance,
    sharesBus,
    runsReactions,
    hostsJobs = runsReactions,
    election = 'log',
    region = null,
  }: Pick<ProcessFacts, 'instance' | 'sharesBus' | 'runsReactions'> & {
    readonly hostsJobs?: boolean;
    readonly election?: 'log' | 'etcd';
    readonly region?: string | null;
  }) {
    this.instance = instance;
    this.region = region;
    this.sharesBus = sharesBus;
    this.runsReactions = runsReactions;
    this.hostsJobs = hostsJobs;
    this.election = election;
  }
}
