import { Module } from '@nestjs/common';
import { SettleAdapterContentHandler } from './adapter-content.handler.js';
import { AdapterFiles } from './adapter-files.js';
import { AdapterVault } from './adapter-vault.js';
import { InferAdapterHandler } from './infer-adapter.handler.js';
import { PlacedAdapters } from './placed-adapters.js';
import { RemoveAdapterHandler } from './remove-adapter.handler.js';
import { ShippedAdapters } from './shipped-adapters.js';
import { StoredAdapters } from './stored-adapters.js';
import { UploadAdapterHandler } from './upload-adapter.handler.js';
import { VaultAdapterHandler, VaultHandler } from './vault.handler.js';

@Module({
  providers: [
    ShippedAdapters,
    StoredAdapters,
    AdapterVault,
    AdapterFiles,
    PlacedAdapters,
    InferAdapterHandler,
    UploadAdapterHandler,
    RemoveAdapterHandler,
    SettleAdapterContentHandler,
    VaultHandler,
    VaultAdapterHandler,
  ],
  exports: [PlacedAdapters],
})
export class AdaptersModule {}
