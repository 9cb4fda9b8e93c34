import { type Logger } from 'pino';
import { type GroupLease, type LeadershipStatus, type ReaderLeases } from './leadership.port.js';
import { type ShareRequests } from './share-requests.js';

export interface SharedLeasesOptions {
  readonly leases: readonly GroupLease[];
  readonly requests: Pick<ShareRequests, 'ask' | 'next'>;
  /** How often shares are compared. */
  readonly everyMs: number;
  readonly logger: Logger;
}

/**
 * Takes every lease that is free, and shares them with other processes: one that holds two less
 * than another asks for a group, and a process that holds two more gives its last one up. Each
 * lease is safe by itself: shares decide only who asks for it.
 */
export class SharedLeases implements ReaderLeases {
  #timer: NodeJS.Timeout | undefined;
  #comparing: Promise<void> | undefined;

  constructor(private readonly options: SharedLeasesOptions) {}

  start(handlerOf: Parameters<ReaderLeases['start']>[0]): void {
    const { leases, everyMs } = this.options;
    for (const lease of leases) lease.start(handlerOf(lease.group));
    const compare = (): void => {
      this.#comparing ??= this.#compare().finally(() => (this.#comparing = undefined));
    };
    this.#timer = setInterval(compare, everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.options.leases.map((lease) => lease.stop()));
    await this.#comparing;
  }

  status(): readonly LeadershipStatus[] {
    return this.options.leases.map((lease) => lease.status());
  }

  async #compare(): Promise<void> {
    const { leases, requests, logger } = this.options;
    try {
      const asking = await requests.next();
      const held = leases.filter((lease) => lease.status().role === 'leader');
      const last = held.at(-1);
      if (asking !== null && last && held.length - asking >= 2) {
        logger.info({ group: last.group }, 'the group is given up for a process that holds fewer');
        last.giveUp();
        return;
      }
      if (mostOfOthers(this.status()) - held.length >= 2) await requests.ask(held.length);
    } catch (error) {
      logger.warn({ err: error }, 'the shares of the groups could not be compared');
    }
  }
}

/** The groups of the process that holds most, this one aside. */
const mostOfOthers = (statuses: readonly LeadershipStatus[]): number => {
  const others = statuses.flatMap(({ holder, instance }) =>
    holder === null || holder === instance ? [] : [holder],
  );
  const counts = [...Map.groupBy(others, (holder) => holder).values()].map(({ length }) => length);
  return Math.max(0, ...counts);
};
