import { vaultsEvents } from '#events/vaults/vault.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { vaultsOfAccount } from '#projections/vaults/vaults-of-account.projection.js';
import { accountVaultsSaga } from './account-vaults.saga.js';
import {
  DestroyVaultKeysCommand,
  EraseVaultsOfAccountCommand,
  ReleaseDocumentsCommand,
  ResealVaultCommand,
  RetainDocumentsCommand,
} from './change-vault.handlers.js';
import { vaultContentSaga } from './vault-content.saga.js';
import { vaultIngestJob } from './vault-ingest.job.js';
import { vaultSearchTool } from './vault-search.tool.js';
import { vaultIngestJobProduct, vaultIngestProduct, vaultSearchProduct } from './vault.product.js';
import { vaultErrors } from './vaults.errors.js';
import { vaultFailures } from './vaults.failures.js';
import { VaultsModule } from './vaults.module.js';
import { vaultSettings } from './vaults.settings.js';

export const vaultsArea = defineArea({
  name: 'vaults',
  description: 'Encrypted documents that are searched by meaning, within the clearance of a key.',
  module: VaultsModule,
  events: vaultsEvents,
  projections: [vaultsOfAccount],
  sagas: [
    deploySaga(vaultContentSaga, {
      RetainDocuments: ({ vaultId, documentIds }, context) =>
        new RetainDocumentsCommand(vaultId, documentIds, context),
      ReleaseDocuments: ({ vaultId, documents }, context) =>
        new ReleaseDocumentsCommand(vaultId, documents, context),
      ResealVault: ({ vaultId }, context) => new ResealVaultCommand(vaultId, context),
      DestroyVaultKeys: ({ vaultId }, context) => new DestroyVaultKeysCommand(vaultId, context),
    }),
    deploySaga(accountVaultsSaga, {
      EraseVaults: ({ accountId }, context) => new EraseVaultsOfAccountCommand(accountId, context),
    }),
  ],
  products: [vaultSearchProduct, vaultIngestProduct, vaultIngestJobProduct],
  jobs: [vaultIngestJob],
  tools: [vaultSearchTool],
  errors: vaultErrors,
  failures: vaultFailures,
  settings: [vaultSettings],
});
