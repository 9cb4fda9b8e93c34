import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { ClearancesController } from './clearances.controller.js';
import { VaultsController } from './vaults.controller.js';
import { FileBatchesController } from './file-batches.controller.js';
import { FileProgress } from './file-progress.js';
import { StoreFiles } from './store-files.js';
import { VaultWork } from './vault-work.js';
import { VectorController } from './vector.controller.js';
import { VectorStoreFilesController } from './vector-store-files.controller.js';
import { VectorStoresController } from './vector-stores.controller.js';

@Module({
  controllers: [
    VectorController,
    VaultsController,
    ClearancesController,
    VectorStoresController,
    VectorStoreFilesController,
    FileBatchesController,
  ],
  providers: [ApiGuard, FileProgress, StoreFiles, VaultWork],
  exports: [VaultWork],
})
export class VaultsHttpModule {}
