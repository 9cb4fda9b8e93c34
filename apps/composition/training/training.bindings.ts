import { type Provider } from '@nestjs/common';
import { Catalog } from '#areas/catalog/catalog.js';
import { FileStore } from '#areas/files/file-store.js';
import { ResidentModels } from '#areas/training/resident-models.port.js';
import { TrainingFiles } from '#areas/training/training-files.port.js';
import { OwnModelFiles } from '#platform/own-models/own-model-files.js';
import { OwnModels } from '#platform/own-models/own-models.js';
import { CatalogAndOwnModels } from './resident-models.binding.js';
import { StoredTrainingFiles } from './training-files.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: ResidentModels,
    inject: [{ token: Catalog, optional: true }, OwnModels, OwnModelFiles],
    useFactory: (catalog: Catalog | undefined, own: OwnModels, files: OwnModelFiles) =>
      new CatalogAndOwnModels(catalog, own, files),
  },
  {
    provide: TrainingFiles,
    inject: [{ token: FileStore, optional: true }],
    useFactory: (files?: FileStore) => new StoredTrainingFiles(files),
  },
];
