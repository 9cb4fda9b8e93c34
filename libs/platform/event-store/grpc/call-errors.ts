import { Metadata, status } from '@grpc/grpc-js';
import { APPEND_BYTES_MAX } from '../append.encoding.js';
import {
  AppendTooLargeError,
  CutStreamError,
  InvalidAppendError,
  StaleRevisionError,
  StoreUnavailableError,
  UnknownOutcomeError,
} from '../event-store.errors.js';
import { type ExpectedRevision } from '../event-store.port.js';
import { MalformedMessageError } from './protobuf.reader.js';
import { MessageWriter } from './protobuf.writer.js';
import { writeStreamName } from './shared.messages.js';

/** Ends a call with the status and the trailers that the official clients understand. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly details: string;
  readonly metadata = new Metadata();

  constructor(
    readonly code: status,
    details: string,
    trailers: Readonly<Record<string, string>> = {},
  ) {
    super(details);
    this.details = details;
    for (const [key, value] of Object.entries(trailers)) this.metadata.set(key, value);
  }
}

export const accessDenied = (): CallError =>
  new CallError(status.UNAUTHENTICATED, 'the API key of an Admin is required', {
    exception: 'access-denied',
  });

/** The status of a failed call. Any other error is a defect, whose text is not sent. */
export const callErrorOf = (error: unknown): CallError => {
  if (error instanceof CallError) return error;
  if (error instanceof AppendTooLargeError) {
    return new CallError(status.INVALID_ARGUMENT, error.message, {
      exception: 'maximum-append-size-exceeded',
      'maximum-append-size': String(APPEND_BYTES_MAX),
    });
  }
  if (error instanceof InvalidAppendError || error instanceof MalformedMessageError) {
    return new CallError(status.INVALID_ARGUMENT, error.message);
  }
  if (error instanceof CutStreamError) {
    return new CallError(status.FAILED_PRECONDITION, error.message, {
      exception: 'stream-deleted',
      'stream-name': error.stream,
    });
  }
  if (error instanceof UnknownOutcomeError) return new CallError(status.ABORTED, error.message);
  if (error instanceof StoreUnavailableError) {
    return new CallError(status.UNAVAILABLE, error.message);
  }
  return new CallError(status.INTERNAL, 'the event store failed');
};

/** The error of one append among many: its details tell the clients which. */
export interface BatchFailure {
  readonly code: status;
  readonly message: string;
  readonly details: { readonly type: string; readonly value: Buffer };
}

/**
 * The answer to one append of a batch call.
 * @throws CallError where the whole call has to end
 */
export const batchFailureOf = (error: unknown): BatchFailure => {
  if (error instanceof CallError) throw error;
  if (error instanceof StaleRevisionError) return staleRevision(error);
  if (error instanceof AppendTooLargeError) {
    return failure(status.INVALID_ARGUMENT, error.message, 'MaximumAppendSizeExceeded', () =>
      writer.uint(1, APPEND_BYTES_MAX),
    );
  }
  if (error instanceof CutStreamError) {
    return failure(status.FAILED_PRECONDITION, error.message, 'StreamDeleted', () =>
      writeStreamName(writer, 1, error.stream),
    );
  }
  if (error instanceof UnknownOutcomeError) return timedOut(error.message);
  const { code, details } = callErrorOf(error);
  return failure(code, details, 'BadRequest', () => writer.text(1, details));
};

/** The append may still land: the clients report an unknown outcome. */
export const timedOut = (message: string): BatchFailure =>
  failure(status.DEADLINE_EXCEEDED, message, 'Timeout', () => undefined);

const staleRevision = ({ expected, actual, message }: StaleRevisionError): BatchFailure =>
  failure(status.FAILED_PRECONDITION, message, 'WrongExpectedVersion', () => {
    if (actual === null) writer.empty(2);
    else writer.uint(1, actual);
    writeExpected(expected);
  });

const writeExpected = (expected: ExpectedRevision): void => {
  if (typeof expected === 'bigint') writer.uint(3, expected);
  else writer.empty(EXPECTED_FIELD[expected]);
};

const EXPECTED_FIELD = { any: 4, 'stream-exists': 5, 'no-stream': 6 } as const;

const writer = new MessageWriter();

const failure = (code: status, message: string, type: string, write: () => void): BatchFailure => {
  write();
  return {
    code,
    message,
    details: { type: `event_store.client.${type}`, value: writer.finish() },
  };
};
