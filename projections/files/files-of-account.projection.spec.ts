import { describe, expect, it } from '@jest/globals';
import { FileCreated, FileDeleted } from '#events/files/file.events.js';
import { UserId } from '#events/vocabulary.js';
import { filesOfAccount, keyIn, prefixOf } from './files-of-account.projection.js';

const named = {
  fileId: 'file-0123456789abcdef0123456789abcdef',
  accountId: '7',
  userId: UserId.parse(7),
  purpose: 'batch',
  blob: 'ab'.repeat(32),
  createdAt: '2026-03-01T09:00:00.000Z',
} as const;
const created = FileCreated.of({
  ...named,
  sealedName: 'A'.repeat(56),
  bytes: 20,
  expiresAt: null,
});
const deleted = FileDeleted.of({
  ...named,
  bytes: 20,
  reason: 'requested',
  deletedAt: '2026-03-02T09:00:00.000Z',
});
const KEYS = [
  `7/all/2026-03-01T09:00:00.000Z/${named.fileId}`,
  `7/batch/2026-03-01T09:00:00.000Z/${named.fileId}`,
];

describe('the files of an account', () => {
  it('are listed among all and among the files of their purpose', () => {
    expect(filesOfAccount.keys(created)).toEqual(KEYS);
    expect(filesOfAccount.keys(deleted)).toEqual(KEYS);
    const all = { accountId: '7', purpose: null };
    expect(keyIn(all, named)).toBe(KEYS[0]);
    expect(prefixOf(all)).toBe('7/all/');
    expect(prefixOf({ accountId: '7', purpose: 'batch' })).toBe('7/batch/');
  });

  it('are there from their creation to their deletion', () => {
    const [key = ''] = KEYS;
    const listed = filesOfAccount.project(created, filesOfAccount.initial(key), key);
    const { blob: _blob, ...shown } = created.data;
    expect(listed).toEqual(shown);
    if (!listed) throw new Error('it is not listed');
    expect(filesOfAccount.project(deleted, listed, key)).toBeNull();
  });
});
