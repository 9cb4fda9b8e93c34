import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant } from '../vocabulary.js';

/** Names a master key without revealing it. */
export const MasterKeyId = z.string().regex(/^[0-9a-f]{16}$/);

/** Names a set of subject keys: a file, or the keys in a database. */
export const KeySetId = z.string().regex(/^[0-9a-f]{16}$/);

/** The key of the installation, sealed with a key that is derived from the master key. */
const SealedInstallationKey = z.string().regex(/^[A-Za-z0-9_-]{60,200}$/);

/** The first start has chosen the key of the installation, and sealed it with this master key. */
export const MasterKeyAdopted = defineEvent('MasterKeyAdopted', {
  version: 1,
  schema: z.strictObject({
    keyId: MasterKeyId,
    sealedKey: SealedInstallationKey,
    adoptedAt: Instant,
  }),
});
export type MasterKeyAdopted = EventOf<typeof MasterKeyAdopted>;

/** The same key of the installation, sealed with another master key. */
export const MasterKeyRotated = defineEvent('MasterKeyRotated', {
  version: 1,
  schema: z.strictObject({
    keyId: MasterKeyId,
    previousKeyId: MasterKeyId,
    sealedKey: SealedInstallationKey,
    rotatedAt: Instant,
  }),
});
export type MasterKeyRotated = EventOf<typeof MasterKeyRotated>;

/** The personal data of the log is sealed with this set of subject keys from here on. */
export const SubjectKeysClaimed = defineEvent('SubjectKeysClaimed', {
  version: 1,
  schema: z.strictObject({
    setId: KeySetId,
    /** Null at the first start. */
    previousSetId: KeySetId.nullable(),
    /** Of the operator; null at the first start. */
    reason: z.string().min(1).max(500).nullable(),
    claimedAt: Instant,
  }),
});
export type SubjectKeysClaimed = EventOf<typeof SubjectKeysClaimed>;

export type MasterKeyEvent = MasterKeyAdopted | MasterKeyRotated | SubjectKeysClaimed;

export const masterKeyEvents = [MasterKeyAdopted, MasterKeyRotated, SubjectKeysClaimed] as const;
