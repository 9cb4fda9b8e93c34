import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. */
export const fileErrors = {
  file_not_found: { status: 404 },
  file_too_large: { status: 413, param: 'file' },
  file_storage_full: { status: 409, param: 'file' },
  file_missing: { status: 400, param: 'file' },
  invalid_purpose: { status: 400, param: 'purpose' },
  invalid_expires_after: { status: 400, param: 'expires_after' },
} as const;

export type FileErrorCode = keyof typeof fileErrors;

export const reject = (code: FileErrorCode, detail: string): never => {
  throw new DomainError<FileErrorCode>(code, detail);
};

export const notFound = (fileId: string): never =>
  reject('file_not_found', `there is no file ${fileId}`);
