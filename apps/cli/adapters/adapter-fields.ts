import { type VaultEntry } from '#areas/adapters/adapter-vault.js';

/** As `--json` prints an adapter. */
export const adapterJson = (entry: VaultEntry) => ({
  adapter_id: entry.adapterId,
  slug: entry.slug,
  category: entry.category,
  base_model: entry.baseModel,
  rank: entry.rank,
  size_bytes: entry.bytes,
  sha256: entry.sha256,
  source: entry.source,
  held_out_gain: gainOf(entry),
});

/** Nats per token that the adapter gains over its base; null where it was not measured. */
export const gainOf = ({ heldOut }: VaultEntry): number | null =>
  heldOut && Number((heldOut.baseLoss - heldOut.loss).toFixed(4));
