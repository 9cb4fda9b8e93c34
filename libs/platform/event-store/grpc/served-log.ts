import { setMaxListeners } from 'node:events';
import { status } from '@grpc/grpc-js';
import { type EventStore } from '../event-store.port.js';
import { type BatchFailure, batchFailureOf, CallError, callErrorOf } from './call-errors.js';

/** The store offers each append to every subscription. */
export const SUBSCRIPTIONS_MAX = 256;

/** The served log and its open calls. */
export class ServedLog {
  readonly eventStore: EventStore;
  readonly #closing = new AbortController();
  readonly #appends = new Set<Promise<unknown>>();
  readonly #onDefect: (error: unknown) => void;
  #subscriptions = 0;

  /** @param onDefect is called with errors that the client receives without details */
  constructor(eventStore: EventStore, onDefect: (error: unknown) => void) {
    this.eventStore = eventStore;
    this.#onDefect = onDefect;
    // Every open call listens.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Aborted when the server begins to close. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** @throws CallError once the server has begun to close */
  assertOpen(): void {
    if (this.#closing.signal.aborted) throw unavailable();
  }

  /** Makes the closing of the server wait for an append. */
  async landing<Result>(append: Promise<Result>): Promise<Result> {
    this.#appends.add(append);
    try {
      return await append;
    } finally {
      this.#appends.delete(append);
    }
  }

  /** The status with which a failed call ends. */
  callErrorOf(error: unknown): CallError {
    return this.#noticed(error, callErrorOf(error));
  }

  /** @throws CallError where the whole call has to end */
  batchFailureOf(error: unknown): BatchFailure {
    return this.#noticed(error, batchFailureOf(error));
  }

  /**
   * Counts a subscription in.
   * @returns the function that removes it from the count
   * @throws CallError when there are too many
   */
  enterSubscription(): () => void {
    if (this.#subscriptions >= SUBSCRIPTIONS_MAX) {
      throw new CallError(
        status.RESOURCE_EXHAUSTED,
        `there are ${SUBSCRIPTIONS_MAX} subscriptions, which is the most`,
      );
    }
    this.#subscriptions += 1;
    return () => {
      this.#subscriptions -= 1;
    };
  }

  /** Rejects new work, ends subscriptions and waits for the appends that were begun. */
  async drain(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#appends);
  }

  #noticed<Answer extends { readonly code: status }>(error: unknown, answer: Answer): Answer {
    if (answer.code === status.INTERNAL) this.#onDefect(error);
    return answer;
  }
}

export const unavailable = (): CallError =>
  new CallError(status.UNAVAILABLE, 'the event store is closing');
