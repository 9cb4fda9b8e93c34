import { Metadata, status } from '@grpc/grpc-js';
import { AccessDeniedError } from '../event-store.errors.js';

/** No server, or a lost connection: the packages reconnect by themselves. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === status.UNAVAILABLE;

const DENIED: ReadonlySet<unknown> = new Set([status.UNAUTHENTICATED, status.PERMISSION_DENIED]);

/** The credentials are wrong, or lack a right. */
export const isDenied = (error: unknown): boolean =>
  error instanceof AccessDeniedError ||
  (error instanceof Error && 'code' in error && DENIED.has(error.code));

const BAD_PLACE: ReadonlySet<unknown> = new Set([status.UNKNOWN, status.INVALID_ARGUMENT]);

/** Servers say in different words that no event begins at a position. */
export const mayBeBadPlace = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && BAD_PLACE.has(error.code);

/** The names of errors: no event was written, and the stream was deleted for ever. */
const MISSING: ReadonlySet<unknown> = new Set(['stream-not-found', 'no-stream']);
const DELETED: ReadonlySet<unknown> = new Set(['stream-deleted', 'stream-tombstoned']);

const TAKEN: ReadonlySet<unknown> = new Set(['user-conflict']);

export const isStreamMissing = (error: unknown): boolean => isNamed(error, MISSING);
export const isStreamDeleted = (error: unknown): boolean => isNamed(error, DELETED);

/** There is a user of this name. */
export const isUserTaken = (error: unknown): boolean => isNamed(error, TAKEN);

const isNamed = (error: unknown, names: ReadonlySet<unknown>): boolean =>
  error instanceof Error &&
  'metadata' in error &&
  error.metadata instanceof Metadata &&
  error.metadata.get('exception').some((name) => names.has(name.toString()));

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
