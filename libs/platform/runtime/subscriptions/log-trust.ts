import { type EventStore } from '#platform/event-store/event-store.port.js';
import { hasMarked } from '#platform/event-store/log-mark.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { type Checkpoint, type ReadStore } from '#platform/read-store/read-store.port.js';
import { isCount } from '../lease/reader-groups.js';

/** A checkpoint that the log contradicts. */
export interface ForeignCheckpoint {
  readonly checkpoint: Checkpoint;
  /** A clause for the operator. */
  readonly reason: string;
}

/**
 * Whether the read models were made of this log: a log that was restored from a backup, or
 * exchanged, lacks events that are in them. Every checkpoint is at or below the log's head, and the
 * event that it names is in the log.
 */
export class LogTrust {
  /** Once the read models fit the log they go on fitting: both only grow from here. */
  #trusted: Promise<void> | null = null;

  constructor(
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
  ) {}

  /** The first checkpoint that does not fit, or null. */
  async findForeign(): Promise<ForeignCheckpoint | null> {
    const all = await this.readStore.checkpoints();
    const checkpoints = all.filter(({ name, position }) => !isCount(name) && position > 0n);
    // Read after the checkpoints: it only grows.
    const head = await this.eventStore.head();
    const ahead = checkpoints.find(({ position }) => position > head);
    if (ahead) {
      const reason = `it is at position ${ahead.position}, and the log ends at ${head}`;
      return { checkpoint: ahead, reason };
    }
    const foreign = await Promise.all(checkpoints.map((one) => this.#isForeign(one)));
    const checkpoint = checkpoints.find((_, index) => foreign[index]);
    if (!checkpoint) return null;
    return { checkpoint, reason: `the log does not have the event ${checkpoint.event ?? ''}` };
  }

  /**
   * Checks once for the process, and again after it has failed.
   * @throws ReadStoreError `foreign-log`
   */
  async expect(): Promise<void> {
    this.#trusted ??= this.#check();
    try {
      await this.#trusted;
    } catch (error) {
      this.#trusted = null;
      throw error;
    }
  }

  async #check(): Promise<void> {
    const foreign = await this.findForeign();
    if (foreign) throw new ReadStoreError('foreign-log', describeForeign(foreign));
  }

  async #isForeign({ event }: Checkpoint): Promise<boolean> {
    return event !== null && !(await hasMarked(this.eventStore, event));
  }
}

export const describeForeign = ({ checkpoint, reason }: ForeignCheckpoint): string =>
  `the read models are not of this log (${checkpoint.name}: ${reason}); if the log is the right ` +
  'one, delete them, as the guide to restoring a backup says';
