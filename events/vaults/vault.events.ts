import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { FileId } from '../files/file.events.js';
import { Sealed } from '../identity/identity.vocabulary.js';
import { AccountId, Instant, KeyedHash, KeyId, Sha256Hex, UserId } from '../vocabulary.js';

export const VaultId = z.uuid();
const Count = z.int().nonnegative();

/** The name of a level or a compartment. */
export const MarkingWord = z.string().regex(/^[A-Z0-9][A-Z0-9_-]{0,31}$/);

export const COMPARTMENTS_MAX = 16;

/** A level and compartments, in the order of their names. Which words there are is configured. */
export const Marking = z.strictObject({
  level: MarkingWord,
  compartments: z.array(MarkingWord).max(COMPARTMENTS_MAX).readonly(),
});
export type Marking = z.infer<typeof Marking>;

/** In the stream `vault-<vaultId>`, as all events of a vault and its documents. */
const ofVault = { vaultId: VaultId, accountId: AccountId };

export const VaultCreated = defineEvent('VaultCreated', {
  version: 1,
  schema: z.strictObject({
    ...ofVault,
    /** Name and metadata are sealed with the key of this user; texts with keys of the vault. */
    userId: UserId,
    sealedLabel: Sealed,
    /** Its embedding model in the catalog, and the length of the vectors. */
    model: z.string().min(1).max(256),
    dimensions: z.int().positive(),
    createdAt: Instant,
  }),
});
export type VaultCreated = EventOf<typeof VaultCreated>;

/** Another name or other metadata. */
export const VaultDescribed = defineEvent('VaultDescribed', {
  version: 1,
  schema: z.strictObject({
    ...ofVault,
    sealedLabel: Sealed,
    /** Copied from `VaultCreated`: it is part of the key of the read model's document. */
    createdAt: Instant,
    describedAt: Instant,
  }),
});
export type VaultDescribed = EventOf<typeof VaultDescribed>;

/** 1, 2, …: the keys of a vault. */
const KeyGeneration = z.int().positive();

/** The content of a document is one blob: the texts of its chunks, then their vectors. */
const sealedBlob = { documentId: z.uuid(), blob: Sha256Hex, keyGeneration: KeyGeneration };
export const SealedBlob = z.strictObject(sealedBlob);
export type SealedBlob = z.infer<typeof SealedBlob>;

export const DocumentIngested = defineEvent('DocumentIngested', {
  version: 1,
  schema: z.strictObject({
    ...ofVault,
    ...sealedBlob,
    /** Title, attributes and the rule of its chunks. */
    sealedLabel: Sealed,
    /** The file whose text it is; null: the text came with its request. */
    fileId: FileId.nullable(),
    marking: Marking,
    /** Of the part of the blob before the vectors. */
    headBytes: z.int().positive(),
    /** Of the text in UTF-8. */
    textBytes: z.int().positive(),
    /** Of its content before encryption, texts and vectors: they are charged. */
    storedBytes: z.int().positive(),
    chunks: z.int().positive(),
    promptTokens: Count,
    ingestedAt: Instant,
  }),
});
export type DocumentIngested = EventOf<typeof DocumentIngested>;

/** Other attributes of a document; its title and the rule of its chunks stay. */
export const DocumentDescribed = defineEvent('DocumentDescribed', {
  version: 1,
  schema: z.strictObject({
    ...ofVault,
    documentId: z.uuid(),
    sealedLabel: Sealed,
    /** Of the key that seals the label: the one of its content. */
    keyGeneration: KeyGeneration,
    describedAt: Instant,
  }),
});
export type DocumentDescribed = EventOf<typeof DocumentDescribed>;

export const DocumentDeleted = defineEvent('DocumentDeleted', {
  version: 1,
  schema: z.strictObject({ ...ofVault, ...sealedBlob, deletedAt: Instant }),
});
export type DocumentDeleted = EventOf<typeof DocumentDeleted>;

/** From now on content is sealed with a new key; the older content follows. */
export const VaultKeyRotated = defineEvent('VaultKeyRotated', {
  version: 1,
  schema: z.strictObject({ ...ofVault, keyGeneration: KeyGeneration, rotatedAt: Instant }),
});
export type VaultKeyRotated = EventOf<typeof VaultKeyRotated>;

/** Content that was sealed with an older key is sealed with the newest one. */
export const DocumentsResealed = defineEvent('DocumentsResealed', {
  version: 1,
  schema: z.strictObject({
    ...ofVault,
    keyGeneration: KeyGeneration,
    documents: z
      .array(SealedBlob.extend({ sealedLabel: Sealed, before: SealedBlob }))
      .min(1)
      .max(64)
      .readonly(),
    resealedAt: Instant,
  }),
});
export type DocumentsResealed = EventOf<typeof DocumentsResealed>;

/** The keys up to this one are destroyed: no copy of content under them opens any more. */
export const VaultKeysDestroyed = defineEvent('VaultKeysDestroyed', {
  version: 1,
  schema: z.strictObject({ ...ofVault, keyGeneration: KeyGeneration, destroyedAt: Instant }),
});
export type VaultKeysDestroyed = EventOf<typeof VaultKeysDestroyed>;

/** The end of a vault. Its keys are destroyed, and with them every copy of its content. */
export const VaultErased = defineEvent('VaultErased', {
  version: 1,
  schema: z.strictObject({
    ...ofVault,
    reason: z.enum(['requested', 'account_erased']),
    /** Copied from `VaultCreated`: it is part of the key of the read model's document. */
    createdAt: Instant,
    erasedAt: Instant,
  }),
});
export type VaultErased = EventOf<typeof VaultErased>;

export type VaultEvent =
  | VaultCreated
  | VaultDescribed
  | DocumentIngested
  | DocumentDescribed
  | DocumentDeleted
  | VaultKeyRotated
  | DocumentsResealed
  | VaultKeysDestroyed
  | VaultErased;

export const vaultEvents = [
  VaultCreated,
  VaultDescribed,
  DocumentIngested,
  DocumentDeleted,
  VaultKeyRotated,
  DocumentsResealed,
  VaultKeysDestroyed,
  VaultErased,
  DocumentDescribed,
] as const;

/** A refused file has a code of the API and its words, which have no text of the file. */
const BatchedFile = z.strictObject({
  fileId: FileId,
  work: z.strictObject({ jobId: z.uuid(), documentId: z.uuid() }).nullable(),
  rejection: z.strictObject({ code: z.string().min(1), message: z.string() }).nullable(),
});

/** In a stream of its own, `filebatch-<batchId>`. Each file is attached by a job. */
export const FileBatchCreated = defineEvent('FileBatchCreated', {
  version: 1,
  schema: z.strictObject({
    batchId: z.uuid(),
    ...ofVault,
    files: z.array(BatchedFile).min(1).max(100).readonly(),
    createdAt: Instant,
  }),
});
export type FileBatchCreated = EventOf<typeof FileBatchCreated>;

/** In a stream of its own, `vaultsearch-<searchId>`. */
export const VaultSearched = defineEvent('VaultSearched', {
  version: 1,
  schema: z.strictObject({
    searchId: z.uuid(),
    ...ofVault,
    /** That was in force: nothing above it was looked at. */
    clearance: Marking,
    queryHash: KeyedHash,
    top: z.int().positive(),
    hits: Count,
    vectorsSearched: Count,
    index: z.enum(['exact', 'hnsw']),
    searchedAt: Instant,
  }),
});
export type VaultSearched = EventOf<typeof VaultSearched>;

/**
 * In the stream `clearance-<accountId>`. By an operator, for an account or for one of its keys; a
 * key is never cleared above its account.
 */
export const ClearanceSet = defineEvent('ClearanceSet', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    /** Null: the account. */
    keyId: KeyId.nullable(),
    /** Null: withdrawn. */
    clearance: Marking.nullable(),
    setAt: Instant,
  }),
});
export type ClearanceSet = EventOf<typeof ClearanceSet>;

export const vaultsEvents = [
  ...vaultEvents,
  VaultSearched,
  ClearanceSet,
  FileBatchCreated,
] as const;
