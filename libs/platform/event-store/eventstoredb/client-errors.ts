import { Metadata, status } from '@grpc/grpc-js';

/** No server, or a lost connection: the packages reconnect by themselves. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === status.UNAVAILABLE;

/** What a read of a stream that is not there any more ends with, by name. */
const MISSING: ReadonlySet<unknown> = new Set([
  'stream-not-found',
  'stream-deleted',
  'stream-tombstoned',
  'no-stream',
]);

export const isStreamMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'metadata' in error &&
  error.metadata instanceof Metadata &&
  error.metadata.get('exception').some((name) => MISSING.has(name.toString()));

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
