import { z } from 'zod';
import { VaultId } from './vault.events.js';

/** The evidence of work on a vault in the events of its hold. It counts no hidden document. */

export const VaultSearchHoldEvidence = z.strictObject({
  vaultId: VaultId,
  top: z.int().positive(),
});
export type VaultSearchHoldEvidence = z.infer<typeof VaultSearchHoldEvidence>;

export const VaultSearchCaptureEvidence = VaultSearchHoldEvidence.extend({
  index: z.enum(['exact', 'hnsw']),
  hits: z.int().nonnegative(),
});
export type VaultSearchCaptureEvidence = z.infer<typeof VaultSearchCaptureEvidence>;

export const VaultIngestEvidence = z.strictObject({
  vaultId: VaultId,
  documentId: z.uuid(),
  chunks: z.int().positive(),
});
export type VaultIngestEvidence = z.infer<typeof VaultIngestEvidence>;
