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
    return (await this.findAllForeign())[0] ?? null;
  }

  /** The checkpoints that do not fit; first those ahead of the log. */
  async findAllForeign(): Promise<readonly ForeignCheckpoint[]> {
    const all = await this.readStore.checkpoints();
    const checkpoints = all.filter(({ name, position }) => !isCount(name) && position > 0n);
    // Read after the checkpoints: it only grows.
    const head = await this.eventStore.head();
    const ahead = checkpoints.filter(({ position }) => position > head);
    const known = checkpoints.filter(({ position }) => position <= head);
    // Readers of the same types have the same last event.
    const marks = [...new Set(known.flatMap(({ event }) => event ?? []))];
    const has = await Promise.all(marks.map((mark) => hasMarked(this.eventStore, mark)));
    const missing = new Set(marks.filter((_, index) => has[index] === false));
    const unmarked = known.filter(({ event }) => event !== null && missing.has(event));
    return [
      ...ahead.map((checkpoint) => {
        const reason = `it is at position ${checkpoint.position}, and the log ends at ${head}`;
        return { checkpoint, reason };
      }),
      ...unmarked.map((checkpoint) => {
        const reason = `the log does not have the event ${checkpoint.event ?? ''}`;
        return { checkpoint, reason };
      }),
    ];
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
}

export const describeForeign = ({ checkpoint, reason }: ForeignCheckpoint): string =>
  `the read models are not of this log (${checkpoint.name}: ${reason}); if the log is the right ` +
  'one, delete them, as the guide to restoring a backup says';
