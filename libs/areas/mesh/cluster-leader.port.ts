/** The process that runs sagas for the whole installation, as an election has found it. */
export interface LeaderView {
  /** The name of the process; null while none is elected. */
  readonly leader: string | null;
  /** `none`: one process works alone. `log`: the lease in the event log. `etcd`: an election. */
  readonly election: 'none' | 'log' | 'etcd';
  /** The processes that take part in the election; null where the election does not know them. */
  readonly clusterSize: number | null;
  /** The fencing token of the leader's term; null without an election. */
  readonly term: string | null;
}

/** Which process leads the installation. The class is the injection token. */
export abstract class ClusterLeader {
  abstract current(): Promise<LeaderView>;
}
