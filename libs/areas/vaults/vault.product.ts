import {
  VaultIngestEvidence,
  VaultSearchCaptureEvidence,
  VaultSearchHoldEvidence,
} from '#events/vaults/vault.evidence.js';
import { INPUT_METER } from '#events/token-meters.js';
import { defineProduct } from '#platform/ledger/product.js';

export const VECTOR_METER = 'vault_vectors';

const TOKENS = 'tokens of the texts that are embedded';

/** A search of a vault. */
export const vaultSearchProduct = defineProduct({
  purpose: 'vault_search',
  group: 'inference',
  paced: true,
  title: 'Searches of vaults',
  meters: {
    [INPUT_METER]: TOKENS,
    [VECTOR_METER]: 'vectors that the caller may see, in the vault that is searched',
  },
  holdEvidence: VaultSearchHoldEvidence,
  captureEvidence: VaultSearchCaptureEvidence,
});

/** A document that is embedded while its caller waits. */
export const vaultIngestProduct = defineProduct({
  purpose: 'vault_ingest',
  group: 'inference',
  paced: true,
  title: 'Documents of vaults',
  meters: { [INPUT_METER]: TOKENS },
  holdEvidence: VaultIngestEvidence,
  captureEvidence: VaultIngestEvidence,
});

/** A long document, which a job embeds. */
export const vaultIngestJobProduct = defineProduct({
  purpose: 'vault_ingest_job',
  group: 'inference',
  title: 'Long documents of vaults',
  meters: { [INPUT_METER]: TOKENS },
  holdEvidence: VaultIngestEvidence,
  captureEvidence: VaultIngestEvidence,
});
