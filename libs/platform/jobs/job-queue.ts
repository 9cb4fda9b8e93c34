/** A job that waits or runs, as the queue sees it. */
export interface QueuedJob {
  readonly jobId: string;
  readonly type: string;
  readonly accountId: string;
  /** ISO 8601: jobs of one account start in this order. */
  readonly submittedAt: string;
  /**
   * `ready`: may start from `notBeforeMs` on. `running`: occupies a slot of its host and of its
   * account. `blocked`: waits for other jobs or for funds.
   */
  readonly state:
    | { readonly kind: 'ready'; readonly notBeforeMs: number }
    | { readonly kind: 'running'; readonly host: string }
    | { readonly kind: 'blocked' };
}

/** The free slots of a host. */
export interface HostSlots {
  readonly host: string;
  /** Attempts that could start, by type. */
  readonly free: Readonly<Record<string, number>>;
}

export interface Placement {
  readonly jobId: string;
  readonly host: string;
}

/** Waiting jobs of one type, of which some wait for a time. */
export interface QueueDepth {
  readonly waiting: number;
  readonly running: number;
  /** Of the job that has waited longest; null when none waits. */
  readonly oldestSubmittedAt: string | null;
}

/** The jobs of one type and one account. */
interface AccountQueue {
  readonly accountId: string;
  /** In the order of submission. */
  readonly ready: QueuedJob[];
  running: number;
}

/** The jobs of one type. The first account of the rotation is the next to start a job. */
interface TypeQueue {
  readonly rotation: Map<string, AccountQueue>;
  readonly blocked: Map<string, QueuedJob>;
}

/**
 * Decides which job starts where. Accounts take turns, and the jobs of an account start in the
 * order of their submission. An account has at most its number of running jobs of a type; a host
 * gets no more than it asked for, the one with the most free slots first. Reads no clock and sends
 * nothing.
 */
export class JobQueue {
  readonly #jobs = new Map<string, QueuedJob>();
  readonly #types = new Map<string, TypeQueue>();

  /** @param runningPerAccountMax by type; 0 for a type that this process does not know */
  constructor(private readonly runningPerAccountMax: (type: string) => number) {}

  /** Adds a job, or replaces what is known of it. */
  put(job: QueuedJob): void {
    this.remove(job.jobId);
    this.#jobs.set(job.jobId, job);
    const { state } = job;
    if (state.kind === 'blocked') this.#typeOf(job.type).blocked.set(job.jobId, job);
    else if (state.kind === 'running') this.#accountOf(job).running += 1;
    else insert(this.#accountOf(job).ready, job);
  }

  remove(jobId: string): void {
    const job = this.#jobs.get(jobId);
    if (!job) return;
    this.#jobs.delete(jobId);
    const { kind } = job.state;
    if (kind === 'blocked') {
      this.#typeOf(job.type).blocked.delete(jobId);
      return;
    }
    const account = this.#accountOf(job);
    if (kind === 'running') account.running -= 1;
    else account.ready.splice(indexOf(account.ready, job), 1);
    const isEmpty = account.running === 0 && account.ready.length === 0;
    if (isEmpty) this.#typeOf(job.type).rotation.delete(job.accountId);
  }

  get(jobId: string): QueuedJob | undefined {
    return this.#jobs.get(jobId);
  }

  /** Places as many jobs as the hosts can take now; each placed job counts as running. */
  place(hosts: readonly HostSlots[], nowMs: number): readonly Placement[] {
    const placements: Placement[] = [];
    for (const [type, { rotation }] of this.#types) {
      const slots = new Slots(type, hosts);
      const accountMax = this.runningPerAccountMax(type);
      for (let turn = slots.total; turn > 0; turn -= 1) {
        const job = nextOf(rotation, accountMax, nowMs);
        const host = job && slots.take();
        if (!job || host === undefined) break;
        this.put({ ...job, state: { kind: 'running', host } });
        placements.push({ jobId: job.jobId, host });
        toTheEnd(rotation, job.accountId);
      }
    }
    return placements;
  }

  /** By type, of the types that have jobs. */
  depths(): ReadonlyMap<string, QueueDepth> {
    const depths = new Map<string, QueueDepth>();
    for (const [type, { rotation, blocked }] of this.#types) {
      const accounts = [...rotation.values()];
      const waiting = [...blocked.values(), ...accounts.flatMap(({ ready }) => ready.slice(0, 1))];
      const [oldest] = waiting.map(({ submittedAt }) => submittedAt).toSorted();
      depths.set(type, {
        waiting: accounts.reduce((sum, { ready }) => sum + ready.length, blocked.size),
        running: accounts.reduce((sum, { running }) => sum + running, 0),
        oldestSubmittedAt: oldest ?? null,
      });
    }
    return depths;
  }

  #typeOf(type: string): TypeQueue {
    const known = this.#types.get(type) ?? { rotation: new Map(), blocked: new Map() };
    this.#types.set(type, known);
    return known;
  }

  #accountOf({ type, accountId }: QueuedJob): AccountQueue {
    const { rotation } = this.#typeOf(type);
    const known = rotation.get(accountId) ?? { accountId, ready: [], running: 0 };
    rotation.set(accountId, known);
    return known;
  }
}

/** The free slots of one type. */
class Slots {
  readonly #free: Map<string, number>;

  constructor(type: string, hosts: readonly HostSlots[]) {
    this.#free = new Map(hosts.map(({ host, free }) => [host, free[type] ?? 0]));
  }

  get total(): number {
    return [...this.#free.values()].reduce((sum, free) => sum + Math.max(0, free), 0);
  }

  /** The host with the most free slots; undefined when none is left. */
  take(): string | undefined {
    let found: string | undefined;
    let most = 0;
    for (const [host, free] of this.#free) {
      if (free <= most) continue;
      found = host;
      most = free;
    }
    if (found !== undefined) this.#free.set(found, most - 1);
    return found;
  }
}

/** The first job, by turn, that may start now. */
const nextOf = (
  rotation: ReadonlyMap<string, AccountQueue>,
  accountMax: number,
  nowMs: number,
): QueuedJob | undefined => {
  for (const { ready, running } of rotation.values()) {
    if (running >= accountMax) continue;
    const job = ready.find(({ state }) => state.kind === 'ready' && state.notBeforeMs <= nowMs);
    if (job) return job;
  }
  return undefined;
};

const toTheEnd = (rotation: Map<string, AccountQueue>, accountId: string): void => {
  const account = rotation.get(accountId);
  if (!account) return;
  rotation.delete(accountId);
  rotation.set(accountId, account);
};

const isBefore = (one: QueuedJob, other: QueuedJob): boolean =>
  one.submittedAt === other.submittedAt
    ? one.jobId < other.jobId
    : one.submittedAt < other.submittedAt;

/** Where a job is, or belongs, in a list in the order of submission. */
const indexOf = (jobs: readonly QueuedJob[], job: QueuedJob): number => {
  let [low, high] = [0, jobs.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const at = jobs[middle];
    if (at && isBefore(at, job)) low = middle + 1;
    else high = middle;
  }
  return low;
};

const insert = (jobs: QueuedJob[], job: QueuedJob): void => {
  jobs.splice(indexOf(jobs, job), 0, job);
};
