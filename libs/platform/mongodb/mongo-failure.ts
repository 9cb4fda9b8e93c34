/** The meaning of a driver's failure for an adapter. */
import {
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoServerError,
} from 'mongodb';

const DUPLICATE_KEY = 11_000;

const DENIED: ReadonlySet<unknown> = new Set([
  13, // Unauthorized
  18, // AuthenticationFailed
]);

/**
 * The codes of a server that cannot serve now, or denies this client:
 * `src/mongo/base/error_codes.yml` of MongoDB. FerretDB reports a full disk as InternalError.
 */
const UNAVAILABLE: ReadonlySet<unknown> = new Set([
  ...DENIED,
  1, // InternalError
  6, // HostUnreachable
  7, // HostNotFound
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern
  112, // WriteConflict
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  262, // ExceededTimeLimit
  9001, // SocketException
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
  14_031, // OutOfDiskSpace
]);

/** Whether the credentials are wrong, or lack a right. */
export const isDenied = (error: unknown): boolean =>
  error instanceof MongoServerError && DENIED.has(error.code);

/** Whether a document with that `_id` existed already. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY;

/**
 * The places in a bulk write whose `_id` existed already, where that is all that failed; null for
 * any other failure.
 */
export const duplicatesIn = (error: unknown): readonly number[] | null => {
  if (!(error instanceof MongoBulkWriteError)) return null;
  const failed = [error.writeErrors].flat();
  const isExpected = failed.length > 0 && failed.every(({ code }) => code === DUPLICATE_KEY);
  return isExpected ? failed.map(({ index }) => index) : null;
};

/**
 * Whether the server is unreachable or cannot serve now. Any other error of the driver is a defect
 * of the caller.
 */
export const isUnavailable = (error: unknown): error is Error => {
  if (error instanceof MongoServerError) {
    // A bulk write wraps its cause, and always claims to be an answer of the server.
    const { errorResponse } = error;
    return errorResponse instanceof MongoError || isSystemError(errorResponse)
      ? isUnavailable(errorResponse)
      : UNAVAILABLE.has(error.code);
  }
  if (error instanceof MongoError) return !(error instanceof MongoInvalidArgumentError);
  return isSystemError(error);
};

/** @throws the result of `unavailable` for a server that is unreachable or cannot serve now */
export const orUnavailable = async <Result>(
  operation: Promise<Result>,
  unavailable: (detail: string, options: ErrorOptions) => Error,
): Promise<Result> => {
  try {
    return await operation;
  } catch (cause) {
    if (!isUnavailable(cause)) throw cause;
    throw unavailable(cause.message, { cause });
  }
};

/**
 * Node's own errors of a connection that has ended while it is written to: they name no system
 * call.
 */
const ENDED: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/**
 * An error that the driver does not wrap, when a connection breaks during a write. By shape: an
 * error of another realm, as under a test runner, is not an `instanceof Error`.
 */
const isSystemError = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  ('syscall' in error || ('code' in error && ENDED.has(error.code)));
