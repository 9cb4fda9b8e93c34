import { type ExpectedRevision, type StreamName } from './event-store.port.js';
import { type DamagedEvent } from './log-chain.port.js';

/** The closed set of errors. Any other error of an adapter is a defect. */
export type EventStoreErrorCode =
  | 'stale-revision'
  | 'append-too-large'
  | 'invalid-append'
  | 'unknown-outcome'
  | 'store-unavailable'
  | 'damaged-event'
  | 'cut-stream';

export abstract class EventStoreError extends Error {
  abstract readonly code: EventStoreErrorCode;
}

/** Another writer appended first: read again and decide again. */
export class StaleRevisionError extends EventStoreError {
  override readonly name = 'StaleRevisionError';
  readonly code = 'stale-revision';

  constructor(
    readonly stream: StreamName,
    readonly expected: ExpectedRevision,
    /** The stream's last revision, or null where there is no stream. */
    readonly actual: bigint | null,
  ) {
    super(`${stream} is at ${actual ?? 'no-stream'}, expected ${expected}`);
  }
}

export class AppendTooLargeError extends EventStoreError {
  override readonly name = 'AppendTooLargeError';
  readonly code = 'append-too-large';
}

/** The name of the stream, an event id or the list of events is malformed; nothing was tried. */
export class InvalidAppendError extends EventStoreError {
  override readonly name = 'InvalidAppendError';
  readonly code = 'invalid-append';
}

/** It may or may not be in the log: append the same ids at the same expected revision again. */
export class UnknownOutcomeError extends EventStoreError {
  override readonly name = 'UnknownOutcomeError';
  readonly code = 'unknown-outcome';
}

/** Nothing was appended: the store is closed, unreachable, read-only or out of space. */
export class StoreUnavailableError extends EventStoreError {
  override readonly name: string = 'StoreUnavailableError';
  readonly code = 'store-unavailable';
}

/** The server rejects the credentials, or they lack a right: a retry does not help. */
export class AccessDeniedError extends StoreUnavailableError {
  override readonly name = 'AccessDeniedError';
}

/** A stored event cannot be read. No reader skips it without a report. */
export class DamagedEventError extends EventStoreError {
  override readonly name = 'DamagedEventError';
  readonly code = 'damaged-event';

  constructor(
    readonly damaged: DamagedEvent,
    options?: ErrorOptions,
  ) {
    super(describeDamage(damaged), options);
  }
}

/**
 * A stream lacks events that were appended: it does not begin at revision 0, has a gap, or was
 * deleted. What rests on it is unknown, and not absent.
 */
export class CutStreamError extends EventStoreError {
  override readonly name = 'CutStreamError';
  readonly code = 'cut-stream';

  constructor(
    readonly stream: StreamName,
    /** The first revision that is missing. */
    readonly missing: bigint,
    /** The revision that came in its place; null where none did. */
    readonly found: bigint | null,
    options?: ErrorOptions,
  ) {
    const instead = found === null ? '' : `, and continues with ${found}`;
    super(
      `the stream ${stream} lacks revision ${missing}${instead}: it was truncated or deleted, or ` +
        'its $maxAge, $maxCount or $tb hides events',
      options,
    );
  }
}

export const describeDamage = ({ position, stream, reason }: DamagedEvent): string =>
  `the event at position ${position} of ${stream ?? 'an unknown stream'}: ${reason}`;
