import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { ClearancesController } from './clearances.controller.js';
import { VaultsController } from './vaults.controller.js';
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
  ],
  providers: [ApiGuard, StoreFiles, VaultWork],
  exports: [VaultWork],
})
export class VaultsHttpModule {}
