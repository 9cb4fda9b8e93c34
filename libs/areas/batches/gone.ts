import { isBlobGone } from '#platform/blobs/blobs.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { SubjectErasedError } from '#platform/secrets/subject-keys.js';

/** Content that nothing can read any more: its user was erased, or it was not kept in time. */
export const isGone = (error: unknown): boolean =>
  error instanceof SubjectErasedError ||
  isBlobGone(error) ||
  (error instanceof DomainError && error.code === 'job_result_gone');
