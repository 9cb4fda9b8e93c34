import { z } from 'zod';
import { defineEvent, type EventOf } from '#events/definition.js';
import { Sealed } from '#events/identity/identity.vocabulary.js';
import { AccountId, Instant, Sha256Hex, UserId } from '#events/vocabulary.js';

export const PackageName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);

export const HARDWARE_ARCHITECTURE = /^[a-z0-9]{1,32}_(hopper|blackwell|mi300x|gaudi3)$/;
export const HardwareArchitecture = z.string().regex(HARDWARE_ARCHITECTURE);

/** A signature by Ed25519: 64 bytes in base64. */
const Ed25519Base64 = z.string().regex(/^[A-Za-z0-9+/]{86}==$/);

/** A package of an account; the id of its job is the same. */
const Package = z.strictObject({ packageUuid: z.uuid(), accountId: AccountId });

export const PackageOrdered = defineEvent('PackageOrdered', {
  version: 1,
  schema: Package.extend({
    /** The licence, and the content of an account's own model, are sealed with its key. */
    userId: UserId,
    packageName: PackageName,
    model: z.string().min(1).max(256),
    modelSha256: Sha256Hex,
    /** Null: any. */
    hardwareArchitecture: HardwareArchitecture.nullable(),
    licenceDays: z.int().positive(),
    /** Of the archive, as they are held. */
    estimatedBytes: z.int().positive(),
    orderedAt: Instant,
    /** An order that has not become ready is dropped then. */
    dropAt: Instant,
  }),
});
export type PackageOrdered = EventOf<typeof PackageOrdered>;

/** The packaging: the provenance of the package proves that the log has this event. */
export const PackageSealed = defineEvent('PackageSealed', {
  version: 1,
  schema: Package.extend({
    archiveSha256: Sha256Hex,
    archiveBytes: z.int().positive(),
    /** The address of the archive, and whether the key of the user seals it. */
    archiveBlob: Sha256Hex,
    isOwned: z.boolean(),
    manifestSha256: Sha256Hex,
    /** The signature of the manifest. */
    seal: Ed25519Base64,
    keyId: Sha256Hex,
    rootVersion: z.int().positive(),
    sealedAt: Instant,
  }),
});
export type PackageSealed = EventOf<typeof PackageSealed>;

export const PackageReady = defineEvent('PackageReady', {
  version: 1,
  schema: Package.extend({
    /** The address of the files beside the archive. */
    restBlob: Sha256Hex,
    /** Of the whole package. */
    bytes: z.int().positive(),
    sha256: Sha256Hex,
    sealedLicence: Sealed,
    licenceId: z.uuid(),
    licensedUntil: Instant,
    downloadUntil: Instant,
    readyAt: Instant,
  }),
});
export type PackageReady = EventOf<typeof PackageReady>;

/** The package can no longer be downloaded; its content is released. */
export const PackageExpired = defineEvent('PackageExpired', {
  version: 1,
  schema: Package.extend({ expiredAt: Instant }),
});
export type PackageExpired = EventOf<typeof PackageExpired>;

export type PackageEvent = PackageOrdered | PackageSealed | PackageReady | PackageExpired;

export const packageEvents = [PackageOrdered, PackageSealed, PackageReady, PackageExpired] as const;

/** A version of the root of the keys of packages. */
export const PackageRootPublished = defineEvent('PackageRootPublished', {
  version: 1,
  schema: z.strictObject({
    version: z.int().positive(),
    /** The signed metadata, as JSON. */
    root: z.string().min(2).max(65_536),
    publishedAt: Instant,
  }),
});
export type PackageRootPublished = EventOf<typeof PackageRootPublished>;

export const packageRootEvents = [PackageRootPublished] as const;
