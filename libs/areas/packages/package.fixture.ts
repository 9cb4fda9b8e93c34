import {
  PackageExpired,
  PackageOrdered,
  PackageReady,
  PackageSealed,
} from '#events/packages/package.events.js';
import { UserId } from '#events/vocabulary.js';

const HASH = 'a'.repeat(64);
export const ON_PACKAGE = {
  packageUuid: '6f1f1b62-2f63-4a30-9b5c-0a4f2f0f5a11',
  accountId: '7',
} as const;
export const DROP_AT = '2026-12-02T10:00:00.000Z';
export const DOWNLOAD_UNTIL = '2026-12-02T10:00:05.000Z';

export const ordered = PackageOrdered.of({
  ...ON_PACKAGE,
  userId: UserId.parse(7),
  packageName: 'field-kit',
  model: 'quipu/nano',
  modelSha256: HASH,
  hardwareArchitecture: 'acme_hopper',
  licenceDays: 365,
  estimatedBytes: 10_240,
  orderedAt: '2026-11-25T10:00:00.000Z',
  dropAt: DROP_AT,
});

export const sealed = PackageSealed.of({
  ...ON_PACKAGE,
  archiveSha256: HASH,
  archiveBytes: 10_240,
  archiveBlob: HASH,
  isOwned: false,
  manifestSha256: HASH,
  seal: `${'A'.repeat(86)}==`,
  keyId: HASH,
  rootVersion: 1,
  sealedAt: '2026-11-25T10:00:04.000Z',
});

export const ready = PackageReady.of({
  ...ON_PACKAGE,
  restBlob: HASH,
  bytes: 20_480,
  sha256: HASH,
  sealedLicence: 'A'.repeat(40),
  licenceId: '8f1f1b62-2f63-4a30-9b5c-0a4f2f0f5a11',
  licensedUntil: '2027-11-25T10:00:05.000Z',
  downloadUntil: DOWNLOAD_UNTIL,
  readyAt: '2026-11-25T10:00:05.000Z',
});

export const expiredAt = (at: string): PackageExpired =>
  PackageExpired.of({ ...ON_PACKAGE, expiredAt: at });
