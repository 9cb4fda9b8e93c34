import { type IngestAnswer } from '#areas/vaults/ingest-document.handler.js';
import { type SearchAnswer } from '#areas/vaults/vault-search.js';
import {
  type ShownDocument,
  type ShownVault,
  type ShownVaultDetail,
} from '#areas/vaults/vault.queries.js';
import { presentPage } from '../pages/page.dto.js';
import {
  type VaultAnswerDto,
  type VaultDocumentAnswerDto,
  type VaultDocumentListDto,
  type VaultIngestResultDto,
  type VaultListDto,
  type VectorVaultPageDto,
  type VaultSearchResultDto,
} from './vaults.dto.js';

export const presentSearch = (answer: SearchAnswer): VaultSearchResultDto => ({
  success: true,
  action: 'search',
  vault_uuid: answer.vaultId,
  results: answer.found.map((one) => ({
    document_id: one.documentId,
    document_title: one.title,
    classification_marking: one.marking,
    chunk: one.chunk,
    text: one.text,
    score: one.score,
  })),
  total_results: answer.found.length,
  index: answer.index,
  recall: answer.recall,
  vectors_searched: answer.vectorsSearched,
  clearance: answer.clearance,
  model: answer.model,
  prompt_tokens: answer.embedded.promptTokens,
});

export const presentIngest = (answer: IngestAnswer): VaultIngestResultDto => ({
  success: true,
  action: 'ingest',
  vault_uuid: answer.vaultId,
  document_id: answer.documentId,
  status: answer.done ? 'ingested' : 'queued',
  job_id: answer.jobId,
  classification_marking: answer.marking,
  chunks: answer.chunks,
  prompt_tokens: answer.done?.promptTokens ?? null,
});

const presentVault = ({ vaultId, name, model, createdAt }: ShownVault) => ({
  vault_uuid: vaultId,
  name,
  model,
  created_at: createdAt,
});

export const presentVaults = (
  query: VectorVaultPageDto,
  { items, ...found }: { readonly items: readonly ShownVault[]; total: number; position: bigint },
): VaultListDto => ({ ...presentPage(query, found), vaults: items.map(presentVault) });

export const presentVaultDetail = (vault: ShownVaultDetail): VaultAnswerDto => ({
  success: true,
  vault: {
    ...presentVault(vault),
    clearance: vault.clearance,
    documents: vault.documents,
    chunks: vault.chunks,
    text_bytes: vault.textBytes,
    stored_bytes: vault.storedBytes,
    key_generation: vault.keyGeneration,
    is_rotating: vault.isRotating,
  },
});

const presentDocument = (document: ShownDocument) => ({
  document_id: document.documentId,
  document_title: document.label.title,
  classification_marking: document.marking,
  chunks: document.chunks,
  text_bytes: document.textBytes,
  stored_bytes: document.storedBytes,
  ingested_at: document.ingestedAt,
});

export const presentVaultDocument = (document: ShownDocument): VaultDocumentAnswerDto => ({
  success: true,
  document: presentDocument(document),
});

export const presentVaultDocuments = (
  query: VectorVaultPageDto,
  { items, total }: { readonly items: readonly ShownDocument[]; readonly total: number },
): VaultDocumentListDto => {
  const { position: _, ...page } = presentPage(query, { total, position: 0n });
  return { ...page, documents: items.map(presentDocument) };
};
