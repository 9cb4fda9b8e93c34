import { FileCreated, FileDeleted } from '#events/files/file.events.js';
import { UserId } from '#events/vocabulary.js';
import { type FileCommand } from './file.decider.js';

export const FILE = 'file-0123456789abcdef0123456789abcdef';
export const ACCOUNT = '7';
export const CREATED_AT = '2026-03-01T09:00:00.000Z';
export const EXPIRES_AT = '2026-03-31T09:00:00.000Z';
export const DELETED_AT = '2026-03-02T09:00:00.000Z';

const named = {
  fileId: FILE,
  accountId: ACCOUNT,
  userId: UserId.parse(7),
  purpose: 'batch',
  blob: 'ab'.repeat(32),
  createdAt: CREATED_AT,
} as const;

const data: FileCreated['data'] = {
  ...named,
  sealedName: 'A'.repeat(56),
  bytes: 20,
  expiresAt: EXPIRES_AT,
};

export const created = FileCreated.of(data);
export const createdForEver = FileCreated.of({ ...data, expiresAt: null });
export const deleted = FileDeleted.of({
  ...named,
  bytes: 20,
  reason: 'requested',
  deletedAt: DELETED_AT,
});
export const expired = FileDeleted.of({
  ...named,
  bytes: 20,
  reason: 'expired',
  deletedAt: EXPIRES_AT,
});

export const create: FileCommand = { type: 'CreateFile', data };
export const deleteBy = (accountId: string | null): FileCommand => ({
  type: 'DeleteFile',
  data: { fileId: FILE, accountId, deletedAt: DELETED_AT },
});
export const expireAt = (expiredAt: string): FileCommand => ({
  type: 'ExpireFile',
  data: { fileId: FILE, expiredAt },
});
