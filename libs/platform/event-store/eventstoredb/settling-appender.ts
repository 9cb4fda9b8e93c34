import { setTimeout as sleep } from 'node:timers/promises';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import {
  type EncodedAppend,
  encodeAppend,
  FIELDS_PER_EVENT,
  METADATA_FIELD,
} from '../append.encoding.js';
import {
  EventStoreError,
  StoreUnavailableError,
  UnknownOutcomeError,
} from '../event-store.errors.js';
import {
  type AppendResult,
  type EventToAppend,
  type ExpectedRevision,
  type OrderedAppend,
  type StreamName,
} from '../event-store.port.js';
import { messageOf } from './client-errors.js';
import { withInstant } from '../said-metadata.js';
import { type Connection } from './connection.js';
import { type AppendRequest } from './log-client.js';
import { type EventStoreDbLogReader } from './eventstoredb-log-reader.js';

/**
 * The pause between repeats. While the server does not answer, the next repeat waits until it does.
 */
const REPEATS: BackOff = { firstMs: 10, maxMs: 500 };

export interface AppendTimeouts {
  /** How long one attempt may take, in milliseconds. */
  readonly attemptMs: number;
  /** How long to settle an unknown outcome before the append fails with it. */
  readonly settleMs: number;
}

/**
 * Appends, and settles an append without an answer by repeating it. With the same ids at the same
 * revision it is written once, for any number and delay of copies.
 */
export class SettlingAppender {
  readonly #connection: Connection;
  readonly #reader: EventStoreDbLogReader;
  readonly #timeouts: AppendTimeouts;
  readonly #clock: Clock;

  constructor(
    connection: Connection,
    reader: EventStoreDbLogReader,
    timeouts: AppendTimeouts,
    /** Says when an event was said. */
    clock: Clock = systemClock,
  ) {
    this.#clock = clock;
    this.#connection = connection;
    this.#reader = reader;
    this.#timeouts = timeouts;
  }

  /** @param closing when aborted, repeats stop */
  async append(
    stream: StreamName,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
    closing: AbortSignal,
  ): Promise<AppendResult> {
    const encoded = this.#said(encodeAppend(stream, events, expected), events);
    const { trouble } = this.#connection;
    if (trouble !== null) throw new StoreUnavailableError(trouble.reason);
    const deadlineMs = this.#timeouts.attemptMs;
    const request = { stream, encoded, expected, deadlineMs };
    let failure: unknown;
    try {
      return await this.#attempt(request);
    } catch (error) {
      if (this.#isRejected(error)) throw error;
      failure = error;
    }
    return this.#settle(request, failure, closing);
  }

  /** Nothing is repeated: a repeat would come after the appends that were sent behind it. */
  async appendInOrder(appends: readonly OrderedAppend[]): Promise<void> {
    const { trouble } = this.#connection;
    if (trouble !== null) throw new StoreUnavailableError(trouble.reason);
    const requests = appends.map(({ stream, events, expected }) => {
      const encoded = this.#said(encodeAppend(stream, events, expected), events);
      return { stream, encoded, expected, deadlineMs: this.#timeouts.settleMs };
    });
    try {
      await this.#connection.client.appendInOrder(requests);
      this.#connection.answered();
    } catch (error) {
      this.#isRejected(error);
      throw error;
    }
  }

  /** Repeats have the instants of the first attempt. */
  #said({ fields, units }: EncodedAppend, events: readonly EventToAppend[]): EncodedAppend {
    const now = new Date(this.#clock.now()).toISOString();
    const said = [...fields];
    for (const [index, { recordedAt = now }] of events.entries()) {
      const at = index * FIELDS_PER_EVENT + METADATA_FIELD;
      said[at] = withInstant(said[at] ?? '', recordedAt);
    }
    return { fields: said, units };
  }

  /** Separate from `append`, since it is rare and costs timers and signals. */
  async #settle(
    request: AppendRequest,
    first: unknown,
    closing: AbortSignal,
  ): Promise<AppendResult> {
    const over = AbortSignal.any([AbortSignal.timeout(this.#timeouts.settleMs), closing]);
    let failure = first;
    for (let repeats = 0; isExact(request.expected); repeats += 1) {
      if (!(await this.#connection.usable(over))) {
        // The server may become available and fail again until the time is up.
        if (over.aborted) break;
      } else {
        try {
          return await this.#attempt(request);
        } catch (error) {
          // The first copy may have been written before the server stopped accepting appends.
          if (this.#isRejected(error) && !(error instanceof StoreUnavailableError)) throw error;
          failure = error;
        }
      }
      const pauseMs = backOffMs(REPEATS, repeats + 1);
      await sleep(pauseMs, undefined, { signal: over }).catch(() => undefined);
    }
    throw new UnknownOutcomeError(
      `an append to ${request.stream} was not answered: ${messageOf(failure)}`,
      { cause: failure },
    );
  }

  async #attempt(request: AppendRequest): Promise<AppendResult> {
    const { client } = this.#connection;
    const { revision, position } = await client.append(request);
    this.#connection.answered();
    if (position !== null) return { revision, position };
    return { revision, position: await this.#reader.positionOf(request.stream, revision) };
  }

  /** Whether nothing was appended. Reports the result to the connection. */
  #isRejected(error: unknown): boolean {
    const rejected = error instanceof EventStoreError;
    if (rejected && !(error instanceof StoreUnavailableError)) this.#connection.answered();
    else this.#connection.failed(error);
    return rejected;
  }
}

/** Only at an exact revision does the server recognise every repeat. */
const isExact = (expected: ExpectedRevision): boolean =>
  expected !== 'any' && expected !== 'stream-exists';
