import { status } from '@grpc/grpc-js';

/** What the errors of both packages have in common, and what of it matters here. */
interface ClientError extends Error {
  readonly type: string;
}

const isClientError = (error: unknown): error is ClientError =>
  error instanceof Error && 'type' in error && typeof error.type === 'string';

/** Nobody is there, or the connection was lost: the packages make the next one themselves. */
export const isUnavailable = (error: unknown): boolean =>
  (isClientError(error) && error.type === 'unavailable') ||
  (error instanceof Error && 'code' in error && error.code === status.UNAVAILABLE);

/** What a read of a stream that is not there, or not any more, ends with. */
export const isStreamMissing = (error: unknown): boolean =>
  isClientError(error) &&
  ['stream-not-found', 'stream-deleted', 'stream-tombstoned', 'no-stream'].includes(error.type);

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
