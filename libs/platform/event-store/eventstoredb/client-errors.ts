import { Metadata, status } from '@grpc/grpc-js';

/** No server, or a lost connection: the packages reconnect by themselves. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === status.UNAVAILABLE;

/** The names of errors: no event was written, and the stream was deleted for ever. */
const MISSING: ReadonlySet<unknown> = new Set(['stream-not-found', 'no-stream']);
const DELETED: ReadonlySet<unknown> = new Set(['stream-deleted', 'stream-tombstoned']);

export const isStreamMissing = (error: unknown): boolean => isNamed(error, MISSING);
export const isStreamDeleted = (error: unknown): boolean => isNamed(error, DELETED);

const isNamed = (error: unknown, names: ReadonlySet<unknown>): boolean =>
  error instanceof Error &&
  'metadata' in error &&
  error.metadata instanceof Metadata &&
  error.metadata.get('exception').some((name) => names.has(name.toString()));

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
