import {
  KeptStreamError,
  type KeptStreamErrorCode,
} from '#platform/kept-streams/kept-stream.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type FailureMapping, mapFailure } from '#platform/runtime/areas/failure.js';

/** Every domain error of the area and the HTTP status it becomes. */
export const streamErrors = {
  stream_not_found: { status: 404 },
  too_many_resumed_streams: { status: 429 },
} as const;

export type StreamErrorCode = keyof typeof streamErrors;

export const streamNotFound = (streamId: string): DomainError<StreamErrorCode> =>
  new DomainError('stream_not_found', `there is no stream ${streamId}, or it has expired`);

const FAILURES = {
  gone: { status: 410, code: 'stream_gone' },
  lost: { status: 503, code: 'stream_lost' },
  'too-long': { status: 410, code: 'stream_too_long' },
} as const satisfies Record<KeptStreamErrorCode, { status: number; code: string }>;

/** The failures that end a stream that is being read: the status line is sent by then. */
export const streamFailures: readonly FailureMapping[] = [
  mapFailure(
    KeptStreamError,
    ({ code, message }) => ({ ...FAILURES[code], message }),
    Object.fromEntries(Object.values(FAILURES).map(({ code, status }) => [code, { status }])),
  ),
];
