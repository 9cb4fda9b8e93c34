import { type Provider } from '@nestjs/common';
import { Catalog } from '#areas/catalog/catalog.js';
import { EnclaveModels } from '#areas/cleanrooms/enclave/enclave-models.port.js';
import { KeyFiles } from '#areas/cleanrooms/homomorphic/key-files.port.js';
import { FileStore } from '#areas/files/file-store.js';
import { CatalogEnclaveModels } from './enclave-models.binding.js';
import { StoredKeyFiles } from './key-files.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: EnclaveModels,
    inject: [Catalog],
    useFactory: (catalog: Catalog) => new CatalogEnclaveModels(catalog),
  },
  {
    provide: KeyFiles,
    inject: [FileStore],
    useFactory: (files: FileStore) => new StoredKeyFiles(files),
  },
];
