import { type Provider } from '@nestjs/common';
import { Catalog } from '#areas/catalog/catalog.js';
import { FileStorage } from '#areas/files/file-storage.js';
import { FileStore } from '#areas/files/file-store.js';
import { PricedModels } from '#areas/models/priced-models.port.js';
import { UploadedFiles } from '#areas/models/uploaded-files.port.js';
import { readAccountFile } from '../account-file.js';
import { OfferedModels } from './priced-models.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: PricedModels,
    inject: [{ token: Catalog, optional: true }],
    useFactory: (catalog?: Catalog) =>
      new OfferedModels({
        models: () => catalog?.models() ?? [],
        rateFor: (id) => catalog?.rateFor(id, Number.POSITIVE_INFINITY),
      }),
  },
  {
    provide: UploadedFiles,
    inject: [
      { token: FileStore, optional: true },
      { token: FileStorage, optional: true },
    ],
    useFactory: (files?: FileStore, storage?: FileStorage): UploadedFiles => ({
      read: (accountId, fileId, bytesMax) => readAccountFile(files, accountId, fileId, bytesMax),
      bytesLeft: (accountId) =>
        storage ? storage.left(accountId) : Promise.resolve(Number.POSITIVE_INFINITY),
    }),
  },
];
