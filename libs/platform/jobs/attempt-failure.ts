import { BlobError } from '#platform/blobs/blobs.errors.js';
import { SubjectErasedError } from '#platform/secrets/subject-keys.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { type AnyJobType } from './job-type.js';
import { type JobReport } from './job.protocol.js';

type Ended = Extract<JobReport, { readonly kind: 'ended' }>;
/** How an attempt ended without a result. */
export type JobAttemptEnd = Pick<Ended, 'reason' | 'code' | 'message'>;

/** One report of an attempt is too large for the bus or the log. */
export class ReportTooLargeError extends Error {
  override readonly name = 'ReportTooLargeError';
}

/** Whether no repeat can read the blob of an input or of a checkpoint. */
export const isGone = (error: unknown): boolean =>
  error instanceof SubjectErasedError || (error instanceof BlobError && GONE.includes(error.code));

const GONE: readonly string[] = ['blob-not-found', 'blob-erased', 'blob-damaged'];

/** A report does not fit its job or the product that the job is charged as. */
export class ReportRejectedError extends Error {
  override readonly name = 'ReportRejectedError';
}

const MESSAGE_CHARACTERS_MAX = 1_000;

/** Another process, or this one later, may run the attempt: it does not count as a failure. */
const HANDED_BACK: readonly string[] = ['busy', 'closed'];

/** The platform's own codes, and whether no further attempt can succeed. */
const PLATFORM_CODES: ReadonlyMap<string, boolean> = new Map([
  /** The input or the checkpoint does not fit its schema. */
  ['invalid_input', true],
  /** The report of the attempt is too large. */
  ['report_too_large', true],
  /** The blob of the input or of the checkpoint is gone. */
  ['input_unavailable', true],
  /** The dispatcher asked the host to stop. */
  ['stopped', false],
]);

const handedBack = (code: string, message: string): JobAttemptEnd => ({
  reason: 'drained',
  code,
  message,
});

/** The host stops and hands the attempt back. */
export const drained = (): JobAttemptEnd =>
  handedBack('drained', 'the process that ran the attempt stops');

/** The host has no slot for the assigned attempt. */
export const hostFull = (): JobAttemptEnd =>
  handedBack('host_full', 'the process has no slot for the attempt');

/** The dispatcher asked the host to stop the attempt. */
export const stopped = (): JobAttemptEnd => ({
  reason: 'failed',
  code: 'stopped',
  message: 'the attempt was asked to stop',
});

const failed = (code: string, message: string): JobAttemptEnd => ({
  reason: 'failed',
  code,
  message: message.slice(0, MESSAGE_CHARACTERS_MAX),
});

/** Whether a code of the type or of its engine is final; undefined for any other code. */
const isDeclaredFinal = ({ retry, place }: AnyJobType, code: string): boolean | undefined => {
  if (Object.hasOwn(retry.failures, code)) return retry.failures[code] === 'final';
  if (place.on === 'areas' || !Object.hasOwn(place.engine.failures, code)) return undefined;
  return place.engine.failures[code] === 'final';
};

/** The meaning of a failure code for a job of the type; `failed` for an undeclared code. */
export const meaningOf = (
  type: AnyJobType,
  code: string,
): { readonly code: string; readonly isFinal: boolean } => {
  const isFinal = isDeclaredFinal(type, code) ?? PLATFORM_CODES.get(code);
  return isFinal === undefined ? { code: 'failed', isFinal: false } : { code, isFinal };
};

/**
 * The failure of a runner or an engine. Only a declared code keeps its message: any other error may
 * quote the input, and events hold none of it.
 */
export const attemptFailureOf = (type: AnyJobType, error: unknown): JobAttemptEnd => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ReportTooLargeError) return failed('report_too_large', message);
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  if (typeof code === 'string') {
    if (isDeclaredFinal(type, code) !== undefined) return failed(code, message);
    if (error instanceof TaskError && HANDED_BACK.includes(code)) return handedBack(code, message);
    if (error instanceof TaskError && PLATFORM_CODES.has(code)) return failed(code, message);
  }
  return failed('failed', 'the attempt failed with an error that its type does not declare');
};
