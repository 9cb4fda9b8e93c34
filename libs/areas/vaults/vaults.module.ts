import { Module } from '@nestjs/common';
import {
  CreateVaultHandler,
  DeleteDocumentHandler,
  DescribeDocumentHandler,
  DescribeVaultHandler,
  DestroyVaultKeysHandler,
  EraseVaultHandler,
  EraseVaultsOfAccountHandler,
  ReleaseDocumentsHandler,
  ResealVaultHandler,
  RetainDocumentsHandler,
  RotateVaultKeyHandler,
} from './change-vault.handlers.js';
import { ClearanceHandler, SetClearanceHandler } from './clearance.handlers.js';
import { Clearances } from './clearances.js';
import {
  CancelFileBatchHandler,
  CreateFileBatchHandler,
  FileBatchHandler,
  StoredFileBatches,
} from './file-batches.js';
import { IngestDocumentHandler } from './ingest-document.handler.js';
import { IngestJobs } from './ingest-jobs.js';
import { SearchVaultHandler } from './search-vault.handler.js';
import { StoredVaults } from './stored-vaults.js';
import { VaultIngest } from './vault-ingest.js';
import { VaultIngestRunner } from './vault-ingest.job.js';
import { VaultMemory } from './vault-memory.js';
import { VaultSearch } from './vault-search.js';
import { VaultSearchTool } from './vault-search.tool.js';
import {
  StoredBytesHandler,
  VaultDocumentHandler,
  VaultDocumentTextHandler,
  VaultDocumentsHandler,
  VaultFilesHandler,
  VaultHandler,
  VaultsHandler,
} from './vault.queries.js';

@Module({
  providers: [
    StoredVaults,
    Clearances,
    VaultMemory,
    VaultSearch,
    VaultIngest,
    VaultIngestRunner,
    VaultSearchTool,
    CreateVaultHandler,
    EraseVaultHandler,
    RotateVaultKeyHandler,
    DeleteDocumentHandler,
    DescribeDocumentHandler,
    DescribeVaultHandler,
    RetainDocumentsHandler,
    ReleaseDocumentsHandler,
    ResealVaultHandler,
    DestroyVaultKeysHandler,
    EraseVaultsOfAccountHandler,
    SearchVaultHandler,
    IngestDocumentHandler,
    IngestJobs,
    StoredFileBatches,
    CreateFileBatchHandler,
    CancelFileBatchHandler,
    FileBatchHandler,
    SetClearanceHandler,
    ClearanceHandler,
    VaultsHandler,
    VaultHandler,
    VaultDocumentsHandler,
    VaultDocumentHandler,
    VaultDocumentTextHandler,
    VaultFilesHandler,
    StoredBytesHandler,
  ],
  exports: [VaultSearchTool, VaultIngestRunner],
})
export class VaultsModule {}
