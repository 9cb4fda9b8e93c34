import {
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { markOf } from '#platform/event-store/log-mark.js';
import { type ReadStoreCommit } from '#platform/read-store/read-store.port.js';

/** Handles the events of a subscription: a projection, a saga, a relay. */
export interface SubscriptionHandler {
  readonly name: string;
  /** The event types it handles; others may be in a batch too. */
  readonly types: readonly string[];
  /** The position it has saved; undefined before the first run. */
  checkpoint(): Promise<Position | undefined>;
  /**
   * Handles the whole batch or rejects; the effects are saved together with a position. After a
   * rejection the runner asks for the checkpoint again and hands over the events after it.
   */
  handle(batch: SubscriptionBatch): Promise<void>;
}

/** Without documents to write, a checkpoint is saved once it is this many positions behind. */
const POSITIONS_UNSAVED_MAX = 10_000n;
/** The shortest time between two such saves: the positions of some logs are bytes. */
const CHECKPOINT_SAVED_EVERY_MS = 1_000;

/** The checkpoint that a handler saved last. */
export class SavedCheckpoint {
  #position: Position;
  #savedAtMs = Number.NEGATIVE_INFINITY;

  constructor(position: Position) {
    this.#position = position;
  }

  saved(position: Position): void {
    if (position > this.#position) this.#position = position;
    this.#savedAtMs = performance.now();
  }

  isAt(position: Position): boolean {
    return position <= this.#position;
  }

  /** Whether a position without documents to write is worth a write of its own. */
  isFarBehind(position: Position): boolean {
    if (position - this.#position < POSITIONS_UNSAVED_MAX) return false;
    return performance.now() - this.#savedAtMs >= CHECKPOINT_SAVED_EVERY_MS;
  }
}

/** @param handled the last event that this run has handled; without one the stored mark stays */
export const checkpointAt = (
  name: string,
  position: Position,
  handled: RecordedEvent | undefined,
): NonNullable<ReadStoreCommit['checkpoint']> => ({
  name,
  position,
  ...(handled && { event: markOf(handled) }),
});
