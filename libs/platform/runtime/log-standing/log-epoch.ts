import { type EventStore } from '#platform/event-store/event-store.port.js';
import { hasEvent, nameOfEvent } from '#platform/event-store/log-mark.js';
import { type ForeignCheckpoint } from '../subscriptions/log-trust.js';

/** The stream of the events by which operators confirm an exchanged log. */
export const CONFIRMATIONS = 'log-confirmations';

/** For callers. */
export const LOG_FOREIGN = 'the log of this service was exchanged; its operator has to confirm it';

/** The log lacks events that this process has folded, and no operator has confirmed it since. */
export class ForeignLogError extends Error {
  override readonly name = 'ForeignLogError';
}

/** The last event of a folded stream. */
export interface FoldedEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly id: string;
}

const epochs = new WeakMap<EventStore, LogEpoch>();

/** The epoch of this log, which all command runners of the process share. */
export const epochOf = (eventStore: EventStore): LogEpoch => {
  const known = epochs.get(eventStore);
  if (known) return known;
  const epoch = new LogEpoch(eventStore);
  epochs.set(eventStore, epoch);
  return epoch;
};

/**
 * The log as this process knows it. Each confirmation of an operator begins another epoch, and the
 * folds of the epoch before are forgotten: they may be of a log that was exchanged.
 */
export class LogEpoch {
  #number = 0;
  #lost: ForeignCheckpoint | null = null;
  /** The ids of the confirmations that this process knows; null before its first fold. */
  #known: Set<string> | null = null;

  constructor(private readonly eventStore: EventStore) {}

  get number(): number {
    return this.#number;
  }

  /** The first folded event of this epoch that the log was found to lack, or null. */
  get lost(): ForeignCheckpoint | null {
    return this.#lost;
  }

  /** Called before a stream is folded: later confirmations are news. */
  async begin(): Promise<void> {
    if (this.#known !== null) return;
    const known = new Set(await this.#confirmations());
    // Of several first folds, the first one decides.
    this.#known ??= known;
  }

  /** Begins another epoch if the last confirmation in the log is news. */
  async look(): Promise<void> {
    await this.begin();
    const [last] = await this.#confirmations(1);
    if (last !== undefined && this.#known?.has(last) === false) {
      this.#known.add(last);
      this.#number += 1;
      this.#lost = null;
    }
    // The right log may be back.
    const event = this.#lost?.checkpoint.event ?? null;
    if (event !== null && (await hasEvent(this.eventStore, event))) this.#lost = null;
  }

  /** @throws ForeignLogError unless an operator has confirmed the log since `epoch` */
  async lose(folded: FoldedEvent, epoch: number): Promise<void> {
    await this.look();
    if (epoch !== this.#number) return;
    const { stream: name, position } = folded;
    const event = nameOfEvent(folded);
    const reason = `the log does not have the event ${event}`;
    this.#lost ??= { checkpoint: { name, position, event }, reason };
    throw new ForeignLogError(`${name}: ${reason}, and no operator has confirmed the log`);
  }

  /** The newest first. */
  async #confirmations(maxCount?: number): Promise<readonly string[]> {
    const newest = { direction: 'backwards', ...(maxCount !== undefined && { maxCount }) } as const;
    const pages = await Array.fromAsync(this.eventStore.read(CONFIRMATIONS, newest));
    return pages.flat().map(({ id }) => id);
  }
}
