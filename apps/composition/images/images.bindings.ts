import { type Provider } from '@nestjs/common';
import { AuditLog } from '#areas/audit/audit-log.js';
import { FileStore } from '#areas/files/file-store.js';
import { ImageClaims, ImageFiles } from '#areas/images/ports.js';
import { LoggedImageClaims } from './image-claims.binding.js';
import { StoredImageFiles } from './image-files.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: ImageFiles,
    inject: [FileStore],
    useFactory: (files: FileStore) => new StoredImageFiles(files),
  },
  {
    provide: ImageClaims,
    inject: [{ token: AuditLog, optional: true }],
    useFactory: (log?: AuditLog) => new LoggedImageClaims(log),
  },
];
