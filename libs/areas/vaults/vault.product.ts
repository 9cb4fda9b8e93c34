import {
  VaultIngestEvidence,
  VaultSearchCaptureEvidence,
  VaultSearchHoldEvidence,
} from '#events/vaults/vault.evidence.js';
import { INPUT_METER } from '#events/token-meters.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { meterPrice, type MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { defineProduct } from '#platform/ledger/product.js';
import { reject } from './vaults.errors.js';

export const VECTOR_METER = 'vault_vectors';

/** Of texts and vectors, charged once: a vault keeps them until they are deleted. */
export const BYTES_METER = 'vault_bytes';

const TOKENS = 'tokens of the texts that are embedded';

const INGEST_METERS = {
  [INPUT_METER]: TOKENS,
  [BYTES_METER]: 'bytes of texts and vectors that are stored',
};

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
  meters: INGEST_METERS,
  holdEvidence: VaultIngestEvidence,
  captureEvidence: VaultIngestEvidence,
});

/** A long document, which a job embeds. */
export const vaultIngestJobProduct = defineProduct({
  purpose: 'vault_ingest_job',
  group: 'inference',
  title: 'Long documents of vaults',
  meters: INGEST_METERS,
  holdEvidence: VaultIngestEvidence,
  captureEvidence: VaultIngestEvidence,
});

/** @throws DomainError `vault_not_priced` */
export const meterLines = (
  prices: MeterPrices,
  meter: string,
  quantity: number,
  atMs: number,
): readonly PriceLine[] => {
  const rejectMeter = (detail: string) => reject('vault_not_priced', detail);
  const { lineOf } = meterPrice(prices.inForce(atMs), meter, rejectMeter);
  return quantity === 0 ? [] : [lineOf(quantity)];
};
