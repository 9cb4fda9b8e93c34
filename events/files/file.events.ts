import { z } from 'zod';
import { defineEvent, type EventOf } from '#events/definition.js';
import { Sealed } from '#events/identity/identity.vocabulary.js';
import { AccountId, Instant, Sha256Hex, UserId } from '#events/vocabulary.js';

export const FileId = z.string().regex(/^file-[0-9a-f]{32}$/);

/**
 * The purpose of a file. An account uploads the first four; a batch writes `batch_output`, and
 * pictures are `image_output`.
 */
export const FilePurpose = z.enum([
  'assistants',
  'batch',
  'user_data',
  'fine-tune',
  'batch_output',
  'image_output',
]);
export type FilePurpose = z.infer<typeof FilePurpose>;

const Named = z.strictObject({
  fileId: FileId,
  accountId: AccountId,
  /** The content is sealed with the key of this user. */
  userId: UserId,
  purpose: FilePurpose,
  /** The address of the content, a keyed hash of it. */
  blob: Sha256Hex,
  createdAt: Instant,
});

export const FileCreated = defineEvent('FileCreated', {
  version: 1,
  schema: Named.extend({
    sealedName: Sealed,
    bytes: z.int().nonnegative(),
    /** Null: the file stays until it is deleted. */
    expiresAt: Instant.nullable(),
  }),
});
export type FileCreated = EventOf<typeof FileCreated>;

export const FileDeleted = defineEvent('FileDeleted', {
  version: 1,
  schema: Named.extend({
    bytes: z.int().nonnegative(),
    reason: z.enum(['requested', 'expired']),
    deletedAt: Instant,
  }),
});
export type FileDeleted = EventOf<typeof FileDeleted>;

export type FileEvent = FileCreated | FileDeleted;

export const fileEvents = [FileCreated, FileDeleted] as const;
